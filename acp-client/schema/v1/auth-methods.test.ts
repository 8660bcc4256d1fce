// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { decodeAuthMethods } from "./auth-methods.ts";

const method = { id: "a", name: "A" };
const withMeta = (terminal: unknown) => ({ ...method, _meta: { "terminal-auth": terminal } });

test("the older form of a terminal login is read, with its whole command", () => {
  const terminal = { command: "/opt/claude", args: ["/login"], label: "Log in", env: { HOW: "tty" } };
  expect(decodeAuthMethods([withMeta(terminal), withMeta({ command: "claude" })])).toEqual([
    { ...method, type: "terminal", command: ["/opt/claude", "/login"], env: { HOW: "tty" } },
    { ...method, type: "terminal", command: ["claude"], env: {} },
  ]);
});

test("where the method is a terminal login of today, the older form says nothing more", () => {
  const today = { ...withMeta({ command: "/opt/other", args: ["x"] }), type: "terminal", args: ["--cli"] };
  expect(decodeAuthMethods([today])).toEqual([{ ...method, type: "terminal", args: ["--cli"], env: {} }]);
});

test.each([
  null,
  "claude",
  {},
  { command: "" },
  { command: "./claude" },
  { command: "bin/claude" },
  { command: "claude\0" },
  { command: "claude", args: "x" },
  { command: "claude", args: Array.from({ length: 65 }, () => "x") },
  { command: "claude", env: { A: 1 } },
  { command: "x".repeat(4_097) },
])("the agent itself is asked to log in where the older form is %j", (terminal) => {
  expect(decodeAuthMethods([withMeta(terminal)])).toEqual([{ ...method, type: "agent" }]);
});

test("the number of methods and their texts are bounded", () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ id: `m${index}`, name: "n" }));
  expect(decodeAuthMethods(many)).toHaveLength(64);
  expect(decodeAuthMethods([{ ...method, description: "x".repeat(4_097) }])).toEqual([{ ...method, type: "agent" }]);
  expect(decodeAuthMethods([{ ...method, type: "terminal", args: ["x".repeat(4_097)] }])).toEqual([]);
  const vars = Array.from({ length: 100 }, (_, index) => ({ name: `V${index}` }));
  expect(decodeAuthMethods([{ ...method, type: "env_var", vars }])[0]?.variables).toHaveLength(32);
});
