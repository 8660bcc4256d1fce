// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { notifyArguments, parseArguments, type Verb, verbArguments } from "./index.ts";

function messageOf(verb: Verb, args: object): string | undefined {
  const parsed = parseArguments(verbArguments[verb], args);
  return parsed.ok ? undefined : parsed.error.message;
}

test.each([
  ["agent.session.start", {}, "agent: is missing"],
  ["agent.session.start", { agent: 3 }, "agent: must be a string"],
  [
    "agent.session.start",
    { agent: "a", env: ["FOO=bar"] },
    "env.0: must be only a variable's name: letters, digits and _, not starting with a digit",
  ],
  ["agent.session.start", { agent: "a", additional_dirs: "/x" }, "additional_dirs: must be a list"],
  ["agent.session.start", { agent: "a", colour: "red" }, "colour: is not an argument of this verb"],
  ["agent.session.get", { session: "" }, "session: must not be empty"],
  ["agent.session.get", { session: "x".repeat(129) }, "session: must have at most 128 characters"],
  ["agent.session.prompt", { session: "s", prompt: [] }, "prompt: must not be empty"],
  [
    "agent.session.prompt",
    { session: "s", prompt: "p", when_busy: "now" },
    "when_busy: must be one of refuse, queue, steer",
  ],
  ["agent.session.prompt", { session: "s", prompt: [{ type: 1 }] }, "prompt.0.type: must be a string"],
  ["agent.session.cancel", { session: "s", turn: 0 }, "turn: must be at least 1"],
  ["agent.session.cancel", { session: "s", turn: 1.5 }, "turn: must be a whole number"],
  [
    "agent.session.start",
    { agent: "demo", mcp_servers: [{ name: "m", command: "a\0b" }] },
    "mcp_servers.0.command: must not contain a NUL character",
  ],
  ["agent.log.prune", { before: "yesterday" }, "before: must be a time such as 2026-01-31T12:00:00Z"],
  ["agent.log.redact", { sha256: "0".repeat(64), length: 2 }, "length: a secret has 4 to 8192 bytes"],
] as const)("%s of %j: %s", (verb, args, message) => {
  expect(messageOf(verb, args)).toBe(message);
});

test("wrong arguments of the service `notify` are reported in the same words", () => {
  const asked = parseArguments(notifyArguments.ask, { title: "t", ref: "r" });
  expect(asked).toEqual({ ok: false, error: { field: "options", message: "options: is missing" } });
  const answered = parseArguments(notifyArguments.answer, { ask: "", option: "1" });
  expect(answered).toEqual({ ok: false, error: { field: "ask", message: "ask: must not be empty" } });
});
