// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { targetOf } from "../bus-client/broker/address.ts";
import { parse, serialise } from "../bus-client/index.ts";
import { checkAddress, checkCommand, parseDenyList, isDenied } from "./addresses.ts";

const denied = parseDenyList(undefined);
const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,6}[a-z0-9])?$/);
const service = fc.constantFrom("term", "bterm", "term-", "term-1", "term-long-name");

test("no form of an address reaches a denied service on any node", () => {
  const addresses = fc.oneof(
    service,
    fc.tuple(service, label).map((parts) => parts.join(".")),
    fc.tuple(service, label).map((parts) => `${parts.join(".")}.bus`),
    fc.tuple(label, service, label).map((parts) => parts.join(".")),
    fc.tuple(label, service, label).map((parts) => `${parts.join(".")}.bus`),
    fc.tuple(service, label, label).map(([name, mesh, domain]) => `${name}@${mesh}.${domain}`),
  );
  fc.assert(fc.property(addresses, (address) => isDenied(address, denied)));
});

test("a service is not denied because of the name of its node or of another service", () => {
  for (const address of ["echo", "echo.term", "echo.term.bus", "terminal", "xterm", "noded", "agent.desk"]) {
    expect(isDenied(address, denied)).toBe(false);
    expect(() => checkAddress(address, denied)).not.toThrow();
  }
});

test("the deny list allows spaces and capitals, and an empty one denies nothing", () => {
  expect(parseDenyList(" Term , bterm,,")).toEqual(["term", "bterm"]);
  expect(parseDenyList("")).toEqual([]);
  expect(isDenied("anything.desk", parseDenyList("*"))).toBe(true);
  expect(isDenied("echo.desk", parseDenyList("echo.desk"))).toBe(true);
});

/** Addresses of all forms, the broker's included, and arbitrary combinations of labels. */
const anyAddress = fc
  .array(fc.tuple(fc.constantFrom("noded", "bus", "local", "desk", "term", "x"), fc.constantFrom(".", ".", ".", "@")), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map(([name, end]) => name + end).join(""))
  .map((address) => address.slice(0, -1));

test("an address is refused if the broker would route it to a denied service", () => {
  fc.assert(
    fc.property(anyAddress, fc.constantFrom("local", "desk", "bus"), (address, ownNode) => {
      const target = targetOf(address, ownNode);
      if (target.kind !== "service" && target.kind !== "noded") return;
      const reached = target.kind === "noded" ? "noded" : target.name;
      expect(() => checkAddress(address, [reached])).toThrow("denies it");
    }),
    { numRuns: 1000 },
  );
});

test("no spelling of a command that would change this server's connection reaches the broker", () => {
  const changing = fc.constantFrom(
    "noded.deregister",
    "noded.register",
    "noded.tap",
    "noded.observe.start",
    "noded.session.allocate",
    "props.watch",
    "topic.subscribe",
  );
  const around = fc.string({ unit: fc.constantFrom(" ", "\t", "\u0085", "\u00a0", "\u2028", "\u3000"), maxLength: 2 });
  fc.assert(
    fc.property(around, changing, around, (before, command, after) => {
      const written = before + command + after;
      expect(parse(serialise({ headers: { command: written } })).headers["command"]).toBe(command);
      expect(() => checkCommand(written)).toThrow(written === command ? "own connection" : "not a command");
    }),
  );
});

test("commands that only read the broker are allowed, and so are those of services", () => {
  for (const command of [
    "noded.list",
    "noded.ping",
    "noded.props.get",
    "agent.session.list",
    "HELP",
    "x.props.watch",
  ]) {
    expect(() => checkCommand(command)).not.toThrow();
  }
});
