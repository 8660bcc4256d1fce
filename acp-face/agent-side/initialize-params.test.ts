// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { decodeClientCapabilities, decodeInitialize } from "./initialize-params.ts";

test("a capability of a client is an object, or true where ACP has it so; anything else is none", () => {
  const session = { configOptions: { boolean: {} }, notices: {}, compaction: { _meta: {} } };
  const offered = {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    session,
    auth: { terminal: true },
  };
  expect(decodeClientCapabilities({ clientCapabilities: offered })).toMatchObject({
    readsFiles: true,
    writesFiles: true,
    terminal: true,
    booleanOptions: true,
    notices: true,
    compaction: true,
    terminalLogin: true,
    forms: false,
    urls: false,
  });
  const odd = { terminal: 1, session: { configOptions: { boolean: true }, notices: true, compaction: null } };
  const none = Object.entries(decodeClientCapabilities({ clientCapabilities: odd })).filter(
    ([, value]) => value === true,
  );
  expect(none).toEqual([]);
});

test("a version that ACP does not have is refused, and a malformed name of the client is left out", () => {
  for (const protocolVersion of [undefined, "1", 1.5, -1, 65_536]) {
    expect(() => decodeInitialize({ protocolVersion })).toThrow(
      "Invalid params: protocolVersion must be a whole number from 0 to 65535",
    );
  }
  expect(() => decodeInitialize([])).toThrow("Invalid params: params must be an object");
  expect(() => decodeInitialize(undefined)).toThrow("protocolVersion");
  const named = { protocolVersion: 1, clientInfo: { name: "a", title: 3, version: "2" }, _meta: { x: 1 } };
  expect(decodeInitialize(named)).toEqual({
    protocolVersion: 1,
    client: { name: "a", version: "2" },
    meta: { x: 1 },
  });
  for (const clientInfo of [null, "a", { name: "a" }, { name: "a".repeat(1025), version: "1" }]) {
    expect(decodeInitialize({ protocolVersion: 0, clientInfo })).toEqual({
      protocolVersion: 0,
      client: undefined,
      meta: {},
    });
  }
});
