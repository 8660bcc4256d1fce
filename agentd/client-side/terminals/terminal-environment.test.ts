// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { terminalEnvironment } from "./terminal-environment.ts";
import type { RequestedEnvironment } from "./terminal-environment.ts";

const marker = { name: "AGENTD_TERMINAL", value: "m" };
const always = { AGENTD_TERMINAL: "m", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

const given = (requested: RequestedEnvironment["requested"], base: Record<string, string> = {}): unknown =>
  terminalEnvironment({ base, requested, marker });

test("a command has its agent's environment, git that asks nobody and a dumb terminal", () => {
  expect(given([], { PATH: "/bin" })).toEqual({ env: { ...always, PATH: "/bin" } });
});

test("what the agent sets wins over what it has, and the last of two wins", () => {
  const asked = [
    { name: "A", value: "1" },
    { name: "TERM", value: "xterm" },
    { name: "GIT_TERMINAL_PROMPT", value: "1" },
    { name: "A", value: "2" },
  ];
  expect(given(asked, { A: "0", TERM: "screen" })).toEqual({
    env: { ...always, A: "2", TERM: "xterm", GIT_TERMINAL_PROMPT: "1" },
  });
});

test("an agent cannot set AGENTD_ variables, whether or not the base has them", () => {
  const asked = ["AGENTD_SESSION", "AGENTD_CONFIG", "AGENTD_TERMINAL"].map((name) => ({ name, value: "forged" }));
  expect(given(asked, { AGENTD_SESSION: "s" })).toEqual({ env: { ...always, AGENTD_SESSION: "s" } });
});

test.each([
  ["", "x", /no name/],
  ["A=B", "x", /"A=B"/],
  ["A\0", "x", /NUL/],
  ["A", "secret\0", /^the value of A in env holds NUL$/],
])("a variable %j of %j is refused without its value", (name, value, words) => {
  expect(given([{ name, value }])).toEqual({ refusal: expect.stringMatching(words) as string });
});

test("a variable may be called __proto__", () => {
  const { env } = given([{ name: "__proto__", value: "x" }]) as { env: Record<string, string> };
  expect(Object.entries(env)).toContainEqual(["__proto__", "x"]);
});
