// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkAddress, checkCommand, deniedOf, isDenied } from "./addresses.ts";

const denied = deniedOf(undefined);
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
  expect(deniedOf(" Term , bterm,,")).toEqual(["term", "bterm"]);
  expect(deniedOf("")).toEqual([]);
  expect(isDenied("anything.desk", deniedOf("*"))).toBe(true);
  expect(isDenied("echo.desk", deniedOf("echo.desk"))).toBe(true);
});

test("the broker of any node is not asked to change this server's connection", () => {
  for (const address of ["noded", "noded.desk", "desk.bus"]) {
    expect(() => checkCommand(address, "noded.deregister")).toThrow("own connection");
    expect(() => checkCommand(address, "noded.list")).not.toThrow();
  }
});
