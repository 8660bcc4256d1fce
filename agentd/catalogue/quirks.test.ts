// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentSettings } from "../config/settings.ts";
import { gemini } from "./agents/gemini.ts";
import { publishedAgents } from "./built-in.ts";
import { buildCatalogue, definitionOf } from "./catalogue.ts";
import { quirksOf } from "./quirks.ts";

const info = (name: string) => ({ name, version: "1" });
const mine = { command: ["/opt/mine"], env: {}, unset: [], protocol: 1 } as const;
const catalogue = buildCatalogue(
  publishedAgents,
  new Map<string, AgentSettings>([
    ["mine", mine],
    ["opencode", { ...mine, quirks: { missingFileIsEmpty: true } }],
    ["strict", { ...mine, quirks: { missingFileIsEmpty: false } }],
  ]),
);

test.each([
  ["the built-in Gemini", "gemini", "gemini-cli", true],
  ["Gemini by another name of the catalogue", "mine", "gemini-cli", true],
  ["an agent that does not say who it is, by its name", "gemini", undefined, true],
  ["an agent with a name that nobody knows, by its name", "gemini", "my-wrapper", true],
  ["another agent in the place of Gemini", "gemini", "@agentclientprotocol/codex-acp", undefined],
  ["an agent that nobody knows", "mine", "my-agent", undefined],
  ["an agent with the quirk configured", "opencode", "OpenCode", true],
  ["Gemini with the quirk configured away", "strict", "gemini-cli", false],
])("%s has its own quirks", (_, agent, name, expected) => {
  const definition = definitionOf(catalogue, { agent })!;
  expect(quirksOf(definition, name === undefined ? null : info(name)).missingFileIsEmpty).toBe(expected);
});

test("Gemini that is started by its command alone has its quirks", () => {
  const definition = definitionOf(catalogue, { agent: "other", command: ["/opt/gemini", "--acp"] })!;
  expect(quirksOf(definition, info("gemini-cli"))).toEqual(gemini.quirks);
  expect(quirksOf(definition, null)).toEqual({});
});

test("every agent that others publish is known by the name that it gives itself", () => {
  expect(publishedAgents.map(({ name, infoName }) => [name, infoName])).toEqual([
    ["claude", "@agentclientprotocol/claude-agent-acp"],
    ["codex", "@agentclientprotocol/codex-acp"],
    ["gemini", "gemini-cli"],
    ["opencode", "OpenCode"],
  ]);
});
