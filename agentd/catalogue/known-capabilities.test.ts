// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentIdentity } from "../../acp-client/model.ts";
import { testIdentity } from "../session/core/testing/session-script.ts";
import { opencode } from "./agents/opencode.ts";
import { KnownCapabilities } from "./known-capabilities.ts";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-capabilities-"));
  file = join(directory, "bin");
  writeFileSync(file, "one");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function answer(additionalDirectories: boolean): AgentIdentity {
  return { ...testIdentity, capabilities: { ...testIdentity.capabilities, additionalDirectories } };
}

function installed(version: string): string {
  const home = join(directory, version);
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: opencode.npmPackage, version }));
  writeFileSync(join(home, "opencode"), "");
  return join(home, "opencode");
}

test("an agent's answer to initialize counts until its program is replaced", () => {
  const known = new KnownCapabilities();
  const { command } = opencode;
  expect(known.of({ command }, file)).toBeUndefined();
  known.learn(command, file, answer(false));
  expect(known.of({ command }, file)?.offers("additionalDirectories")).toBe(false);
  expect(known.of({ command: ["opencode", "other"] }, file)).toBeUndefined();
  const replacement = join(directory, "new");
  writeFileSync(replacement, "two");
  renameSync(replacement, file);
  expect(known.of({ command }, file)).toBeUndefined();
});

test("the catalogue speaks of the version that was seen alone, by whatever command, and the agent itself overrides it", () => {
  const known = new KnownCapabilities();
  const seen = installed(opencode.lacks?.version ?? "");
  expect(known.of(opencode, seen)?.offers("additionalDirectories")).toBe(false);
  expect(known.of(opencode, seen)?.offers("promptImage")).toBe(true);
  expect(known.of({ command: [seen, "acp"] }, seen)?.offers("additionalDirectories")).toBe(false);
  expect(known.of(opencode, installed("99.0.0"))).toBeUndefined();
  known.learn(opencode.command, seen, answer(true));
  expect(known.of(opencode, seen)?.offers("additionalDirectories")).toBe(true);
});

test("a script in the agent's arguments counts as its program", () => {
  const known = new KnownCapabilities();
  const script = join(directory, "agent.js");
  writeFileSync(script, "");
  const agent = { command: ["node", script] as const };
  known.learn(agent.command, file, answer(false));
  expect(known.of(agent, file)).toBeDefined();
  rmSync(script);
  expect(known.of(agent, file)).toBeUndefined();
});

test("at most 256 programs are remembered, the latest ones", () => {
  const known = new KnownCapabilities();
  const agents = Array.from({ length: 257 }, (_, index) => ({ command: ["x", `${index}`] as const }));
  for (const { command } of agents) known.learn(command, file, answer(true));
  expect(agents.filter((agent) => known.of(agent, file) === undefined)).toEqual([agents[0]]);
});
