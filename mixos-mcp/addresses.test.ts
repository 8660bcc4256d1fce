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

test("a service is not denied for what its node or its neighbour is called", () => {
  for (const address of ["echo", "echo.term", "echo.term.bus", "terminal", "xterm", "noded", "agent.desk"]) {
    expect(isDenied(address, denied)).toBe(false);
    expect(() => checkAddress(address, denied)).not.toThrow();
  }
});

test("names to deny are read leniently, and an empty list denies nothing", () => {
  expect(parseDenyList(" Term , bterm,,")).toEqual(["term", "bterm"]);
  expect(parseDenyList("")).toEqual([]);
  expect(isDenied("anything.desk", parseDenyList("*"))).toBe(true);
  expect(isDenied("echo.desk", parseDenyList("echo.desk"))).toBe(true);
});

/** Addresses of all kinds, those of the broker among them, and whatever else can be put together from labels. */
const anyAddress = fc
  .array(fc.tuple(fc.constantFrom("noded", "bus", "local", "desk", "term", "x"), fc.constantFrom(".", ".", ".", "@")), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map(([name, end]) => name + end).join(""))
  .map((address) => address.slice(0, -1));

test("wherever the broker takes an address, denying that service refuses it", () => {
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

test("no spelling of a command that would change this server's connection gets to the broker", () => {
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

test("what only reads the broker is let through, and so are the commands of services", () => {
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
