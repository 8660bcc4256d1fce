// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { processEnvironment } from "./process-environment.ts";
import { storedLogin } from "./stored-login.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agentd-login-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(file: string, text = "{}"): string {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
  return join(home, file);
}

/** `own`: agentd's environment. */
function loginOf(agent: AgentDefinition, own: Record<string, string> = {}, values: Record<string, string> = {}) {
  const environment = { PATH: "/usr/bin", HOME: home, ...own };
  const environmentOf = (one: AgentDefinition) => processEnvironment(one, { environment, home, allowEnv: [], values });
  return storedLogin(agent, join(home, "bin/program"), { environmentOf, home });
}

test.each([
  [claude, ".claude/.credentials.json", "CLAUDE_CONFIG_DIR", "work", "work/.credentials.json"],
  [codex, ".codex/auth.json", "CODEX_HOME", "work", "work/auth.json"],
  [gemini, ".gemini/oauth_creds.json", "GEMINI_CLI_HOME", "work", "work/.gemini/oauth_creds.json"],
  [opencode, ".local/share/opencode/auth.json", "XDG_DATA_HOME", "work", "work/opencode/auth.json"],
])("$name keeps its login where its variable says", (agent, usual, variable, directory, other) => {
  const set = { [variable]: join(home, directory) };
  expect(loginOf(agent)).toEqual({ login_stored: false, login_file: join(home, usual) });
  const file = write(usual);
  expect(loginOf(agent)).toEqual({ login_stored: true, login_file: file });
  expect(loginOf(agent, { [variable]: "" })).toEqual({ login_stored: true, login_file: file });
  expect(loginOf(agent, set)).toEqual({ login_stored: false, login_file: join(home, other) });
  write(other);
  expect(loginOf(agent, set)).toEqual({ login_stored: true, login_file: join(home, other) });
  // The agent's own value counts, and a stored one before it.
  const elsewhere = { ...agent, env: { ...agent.env, [variable]: join(home, "none") } };
  expect(loginOf(elsewhere, set)).toMatchObject({ login_stored: false });
  expect(loginOf(elsewhere, {}, set)).toEqual({ login_stored: true, login_file: join(home, other) });
  expect(loginOf({ ...agent, unset: [variable] }, set)).toEqual({ login_stored: true, login_file: file });
  expect(loginOf({ ...agent, env: { HOME: join(home, "none") } })).toMatchObject({ login_stored: false });
  expect(loginOf(agent, { [variable]: "relative" })).toEqual({});
});

test("a configured agent is known by the package of its program", () => {
  const settings = { command: ["codex-acp"], unset: [], protocol: 1, builtIn: false, install: undefined } as const;
  const work: AgentDefinition = { ...settings, name: "work", title: "work", env: { CODEX_HOME: join(home, "work") } };
  const login_file = write("work/auth.json");
  expect(loginOf(work)).toEqual({});
  write("lib/codex/package.json", JSON.stringify({ name: codex.npmPackage, version: "1.0.0" }));
  mkdirSync(join(home, "bin"));
  symlinkSync(write("lib/codex/index.js"), join(home, "bin/program"));
  expect(loginOf(work)).toEqual({ login_stored: true, login_file });
  expect(loginOf({ ...work, env: {} })).toEqual({ login_stored: false, login_file: join(home, ".codex/auth.json") });
});

test("an agent with a key and no login does not lack one", () => {
  expect(loginOf(codex, {}, { OPENAI_API_KEY: "k" })).toEqual({});
  const login_file = write(".codex/auth.json");
  expect(loginOf(codex, {}, { OPENAI_API_KEY: "k" })).toEqual({ login_stored: true, login_file });
});
