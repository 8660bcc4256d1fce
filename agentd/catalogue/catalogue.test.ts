// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentSettings } from "../config/settings.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { builtInAgents } from "./built-in.ts";
import { KnownCapabilities } from "./known-capabilities.ts";
import { testIdentity } from "../session/core/testing/session-script.ts";
import type { ProgramPlaces } from "./program-places.ts";
import { buildCatalogue, catalogueEntries, unknownAgentMessage } from "./catalogue.ts";

let directory: string;
let demoProgram: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-catalogue-"));
  demoProgram = join(directory, "main.js");
  writeFileSync(demoProgram, "");
  mkdirSync(join(directory, "bin"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("five agents are built in, each with a way to install it", () => {
  const agents = builtIn();
  expect(agents.map(({ name, command }) => [name, ...command])).toEqual([
    ["claude", "claude-agent-acp"],
    ["codex", "codex-acp"],
    ["gemini", "gemini", "--acp"],
    ["opencode", "opencode", "acp"],
    ["demo", process.execPath, demoProgram, "/state/demo-sessions"],
  ]);
  expect(agents.filter(({ install }) => install === undefined)).toEqual([]);
});

test("a user's agent joins the built-in ones, and one of the same name replaces it as a whole", () => {
  const catalogue = buildCatalogue(
    builtIn(),
    new Map<string, AgentSettings>([
      ["mine", { command: ["my-agent", "--acp"], env: { A: "b" }, unset: ["C"], protocol: 1, startTimeoutMs: 5_000 }],
      ["gemini", { command: ["/opt/gemini"], env: {}, unset: [], protocol: 1, startTimeoutMs: undefined }],
    ]),
  );
  expect([...catalogue.keys()]).toEqual(["claude", "codex", "gemini", "opencode", "demo", "mine"]);
  expect(catalogue.get("mine")).toMatchObject({
    command: ["my-agent", "--acp"],
    env: { A: "b" },
    unset: ["C"],
    startTimeoutMs: 5_000,
  });
  expect(catalogue.get("gemini")).toMatchObject({
    command: ["/opt/gemini"],
    env: {},
    builtIn: false,
    install: undefined,
  });
});

test("an entry says what is wrong and how to fix it, or the installed version", () => {
  const packageDirectory = join(directory, "lib", "node_modules", "opencode-ai");
  mkdirSync(join(packageDirectory, "bin"), { recursive: true });
  writeFileSync(join(packageDirectory, "package.json"), `{"name":"opencode-ai","version":"1.18.33"}`);
  writeFileSync(join(packageDirectory, "bin", "opencode.exe"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(join(packageDirectory, "bin", "opencode.exe"), join(directory, "bin", "opencode"));
  mkdirSync(join(directory, ".local/share/opencode"), { recursive: true });
  writeFileSync(join(directory, ".local/share/opencode/auth.json"), "{}");
  writeFileSync(join(directory, "bin", "gemini"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(directory, "bin", "codex-acp"), "#!/bin/sh\n");
  chmodSync(join(directory, "bin", "codex-acp"), 0o644);

  const entries = new Map(
    catalogueEntries(buildCatalogue(builtIn(), new Map()), places(), { environmentOf }).map((entry) => [
      entry.agent,
      entry,
    ]),
  );
  expect(entries.get("opencode")).toEqual({
    agent: "opencode",
    title: "OpenCode",
    command: ["opencode", "acp"],
    built_in: true,
    installed: true,
    file: join(directory, "bin", "opencode"),
    from: "path",
    version: "1.18.33",
    lacks: ["audio", "additional_dirs"],
    login: expect.stringContaining("mix agent agents login opencode"),
    login_stored: true,
    login_file: join(directory, ".local/share/opencode/auth.json"),
  });
  expect(entries.get("gemini")).toMatchObject({ installed: true, login_stored: false });
  expect(entries.get("gemini")).not.toHaveProperty("version");
  expect(entries.get("codex")).toMatchObject({
    installed: false,
    problem: expect.stringContaining("not executable"),
    install: "mix agent agents install codex",
  });
  expect(entries.get("claude")).toMatchObject({ installed: false, install: "mix agent agents install claude" });
  expect(entries.get("demo")).toMatchObject({
    installed: true,
    version: "7.8.9",
    lacks: ["image", "audio", "mcp_http", "mcp_sse", "additional_dirs"],
  });
  // Nothing is known of it.
  expect(entries.get("gemini")).not.toHaveProperty("lacks");
});

test("what an agent said at its last start is listed as lacking, and nothing else", () => {
  const catalogue = buildCatalogue(builtIn(), new Map());
  const known = new KnownCapabilities();
  const { command } = catalogue.get("demo") ?? { command: ["none"] as const };
  const { file = "" } =
    catalogueEntries(catalogue, places(), { environmentOf }).find(({ agent }) => agent === "demo") ?? {};
  const capabilities = { ...testIdentity.capabilities, promptImage: true, mcpHttp: false, mcpSse: true };
  known.learn(command, file, { ...testIdentity, capabilities });
  const entry = catalogueEntries(catalogue, places(), { environmentOf, known }).find(({ agent }) => agent === "demo");
  expect(entry?.lacks).toContain("mcp_http");
  expect(entry?.lacks).not.toContain("image");
  expect(entry?.lacks).not.toContain("mcp_sse");
});

test("a program of another package is not taken for the agent's version", () => {
  writeFileSync(join(directory, "package.json"), `{"name":"something-else","version":"9.9.9"}`);
  writeFileSync(join(directory, "bin", "opencode"), "#!/bin/sh\n", { mode: 0o755 });
  const entries = catalogueEntries(buildCatalogue(builtIn(), new Map()), places(), { environmentOf });
  expect(entries.find(({ agent }) => agent === "opencode")).not.toHaveProperty("version");
});

test("the message about a mistyped agent suggests the right one", () => {
  const catalogue = buildCatalogue(builtIn(), new Map());
  expect(unknownAgentMessage("cluade", catalogue)).toBe(`there is no agent "cluade"; did you mean claude?`);
  expect(unknownAgentMessage("something", catalogue)).toContain("known are claude, codex, gemini, opencode, demo");
});

const environmentOf = ({ env }: AgentDefinition) => ({ HOME: directory, ...env });

function places(): ProgramPlaces {
  return {
    searchPath: join(directory, "bin"),
    home: directory,
    npmBin: () => join(directory, "npm", "bin"),
    agents: { path: join(directory, "agents"), uid: process.getuid?.() ?? 0 },
    nodeProgram: process.execPath,
  };
}

function builtIn() {
  return builtInAgents({
    nodeProgram: process.execPath,
    demoProgram,
    demoSessions: "/state/demo-sessions",
    version: "7.8.9",
  });
}
