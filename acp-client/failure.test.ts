// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { clientLimits } from "./client-limits.ts";
import { exitFailure, protocolFailure, rpcFailure } from "./failure.ts";

const agent = (stderr = "") => ({ command: "agent --acp", stderrTail: () => stderr });

test.for([
  [{ code: 3, signal: null }, '"agent --acp" ended with exit code 3'],
  [{ code: null, signal: "SIGKILL" }, '"agent --acp" was ended by SIGKILL'],
  [{ code: null, signal: null, stdoutClosed: true }, '"agent --acp" closed its stdout, so it can send nothing more'],
] as const)("the message describes the exit %j", ([exit, message]) => {
  expect(exitFailure(agent(), exit)).toEqual({ code: "AGENT_EXITED", message, exit, stderrTail: "" });
});

test("a program that could not be started is unavailable, and the message says why", () => {
  const exit = { code: null, signal: null, spawnError: { code: "EACCES", message: "not executable" } };
  expect(exitFailure(agent(), exit)).toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: '"agent --acp" could not be started: not executable',
  });
});

test("the end of a long stderr is quoted from a whole character on, and all of it is in the failure", () => {
  const stderr = `${"first ".repeat(100)}😀${"x".repeat(399)}\n`;
  const failure = protocolFailure(agent(stderr), "is silent");
  expect(failure.message).toBe(`"agent --acp" is silent. Its last words on stderr: …${"x".repeat(399)}`);
  expect(failure.stderrTail).toBe(stderr);
});

test("a very long command is truncated", () => {
  const long = { command: "x".repeat(5000), stderrTail: () => "" };
  expect(protocolFailure(long, "is silent").message).toBe(`"${"x".repeat(400)}" is silent`);
});

test.for([
  ["rate limit", "Internal error: rate limit"],
  [{ details: "rate limit" }, "Internal error: rate limit"],
  [{ message: "rate limit" }, "Internal error: rate limit"],
  [{ code: 429, error: { type: "x", message: "rate limit" } }, "Internal error: rate limit"],
  [{ error: "rate limit", details: " " }, "Internal error: rate limit"],
  [{ details: [{ message: "rate limit" }] }, "Internal error: rate limit"],
  [{ details: "Internal error" }, "Internal error"],
  [{ details: { a: { b: 1 } }, status: 429 }, "Internal error"],
  [{ details: "x".repeat(5000) }, `Internal error: ${"x".repeat(400)}`],
  [null, "Internal error"],
  [undefined, "Internal error"],
] as const)("the reason in the data %j of an agent's error is added to its message", ([data, words]) => {
  const error = { code: -32603, message: "Internal error", ...(data === undefined ? {} : { data }) };
  expect(rpcFailure("session/prompt", error, { methods: [] }, clientLimits).message).toBe(
    `The agent refused session/prompt: ${words} (-32603)`,
  );
});

const login = {
  methods: [{ id: "k", name: "Key", type: "agent" }],
  agent: "mine",
  advice: "run `mine login`",
} as const;

test("the reason is also added for a login and for a missing method", () => {
  const data = { details: "token expired" };
  const message = (code: number): string =>
    rpcFailure("session/new", { code, message: "No", data }, login, clientLimits).message;
  expect(message(-32000)).toBe(
    "The agent needs a login: No: token expired. It offers: Key. To log in, run `mine login`.",
  );
  expect(message(-32601)).toBe("The agent does not offer session/new: No: token expired");
  const refused = "The key was refused.";
  expect(rpcFailure("x", { code: 401, message: "No" }, { ...login, refused }, clientLimits).message).toBe(
    "The agent needs a login: No. It offers: Key. The key was refused. To log in, run `mine login`.",
  );
});
