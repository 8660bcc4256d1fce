// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { builtInSettings } from "./agents/definition.ts";
import { claude } from "./agents/claude.ts";
import { type GivenValues, keyAdvice } from "./key-advice.ts";

const nothing: GivenValues = { environment: {}, passed: [], stored: [] };
const environment = { ANTHROPIC_API_KEY: "sk-canary" };

test("without a key, a person is told how to log in", () => {
  const advice = { agent: "claude", advice: claude.login };
  expect(keyAdvice(claude, nothing)).toEqual(advice);
  expect(keyAdvice(claude, { ...nothing, environment: { ANTHROPIC_API_KEY: "" } })).toEqual(advice);
});

const byEnvSet = "replace the key with `mix agent env set ANTHROPIC_API_KEY --agent claude`";
test.each<[string, Partial<GivenValues>, Record<string, string>, string]>([
  ["stored", { stored: ["ANTHROPIC_API_KEY"] }, {}, byEnvSet],
  ["of agentd's own environment", {}, {}, byEnvSet],
  ["of the configuration", {}, environment, "replace the key in env of [agents.claude] in agentd.toml"],
  ["stored, and of the configuration", { stored: ["ANTHROPIC_API_KEY"] }, environment, byEnvSet],
  [
    "passed on",
    { stored: ["ANTHROPIC_API_KEY"], passed: ["ANTHROPIC_API_KEY"] },
    {},
    "replace the key, which the start passes on, with `mix agent env set ANTHROPIC_API_KEY`",
  ],
])("a key that is %s was refused, and is replaced there", (_, given, env, replaced) => {
  expect(keyAdvice({ ...claude, env }, { ...nothing, environment, ...given })).toEqual({
    agent: "claude",
    refused: "The key that it was given, ANTHROPIC_API_KEY, was refused, unless it uses a login that it has kept.",
    advice: `run \`mix agent agents login claude\`, or ${replaced}`,
  });
});

test("a value that is stored for an agent of one's own is its key", () => {
  const own = { ...builtInSettings, name: "mine", title: "Mine", command: ["mine"] as const, install: undefined };
  const given = { ...nothing, environment: { MY_KEY: "sk-canary" }, stored: ["MY_KEY"] };
  expect(keyAdvice({ ...own, command: ["mine"] }, given).advice).toContain("mix agent env set MY_KEY --agent mine");
});
