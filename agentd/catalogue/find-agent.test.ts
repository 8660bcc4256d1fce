// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claude } from "./agents/claude.ts";
import { opencode } from "./agents/opencode.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { findAgent } from "./find-program.ts";
import { nodePackage, pinnedNode } from "./installed-agents.ts";
import type { ProgramPlaces } from "./program-places.ts";
import { npmBinDirectory, trustedSearchPath } from "./search-path.ts";

let home: string;
let places: ProgramPlaces;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-find-")));
  for (const directory of ["bin", "npm/bin", "src/project"]) mkdirSync(join(home, directory), { recursive: true });
  places = {
    searchPath: join(home, "bin"),
    home,
    npmBin: () => join(home, "npm", "bin"),
    agents: { path: join(home, "agents"), uid: process.getuid?.() ?? 0 },
    nodeProgram: process.execPath,
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const here = (): string => join(home, "src", "project");
const script = "#!/usr/bin/env node\n";

/** Writes a file that can be executed. */
function program(name: string, text = script): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

/** Installs a package of claude's into a node_modules, linked into a bin directory, as npm does. */
function packageOfClaude(modules: string, bin: string, version: string, node?: string): string {
  const directory = join(modules, "@agentclientprotocol/claude-agent-acp");
  const file = program(join(directory, "index.js"));
  const manifest = { name: "@agentclientprotocol/claude-agent-acp", version, ...(node && { engines: { node } }) };
  writeFileSync(join(home, directory, "package.json"), JSON.stringify(manifest));
  mkdirSync(join(home, bin), { recursive: true });
  const link = join(home, bin, "claude-agent-acp");
  symlinkSync(file, link);
  return link;
}

const installed = (version: string) =>
  packageOfClaude(`agents/claude/${version}/node_modules`, `agents/claude/${version}/node_modules/.bin`, version);

const whereIs = (definition: AgentDefinition = claude) => {
  const found = findAgent(definition, places);
  return found.status === "installed" ? [found.from, found.file, found.version] : found.message;
};

test("an agent is looked for on PATH, then among npm's global packages, then among those that agentd installed", () => {
  expect(whereIs()).toBe("claude-agent-acp was not found");
  const own = installed("0.101.0");
  expect(whereIs()).toEqual(["agentd", own, "0.101.0"]);
  const global = packageOfClaude("npm/lib/node_modules", "npm/bin", "0.90.0");
  expect(whereIs()).toEqual(["npm", global, "0.90.0"]);
  const onPath = program("bin/claude-agent-acp");
  expect(whereIs()).toEqual(["path", onPath, undefined]);
});

test("of several installed versions the pinned one runs, or else the newest; an interrupted one counts for nothing", () => {
  const older = installed("0.99.0");
  expect(whereIs()).toEqual(["agentd", older, "0.99.0"]);
  const newer = installed("0.200.0");
  expect(whereIs()).toEqual(["agentd", newer, "0.200.0"]);
  const pinned = installed("0.101.0");
  mkdirSync(join(home, "agents/claude/.new-1"));
  expect(whereIs()).toEqual(["agentd", pinned, "0.101.0"]);
});

test("a directory in which others can write decides nothing", () => {
  installed("0.101.0");
  chmodSync(join(home, "agents"), 0o777);
  expect(whereIs()).toBe("claude-agent-acp was not found");
});

test("no directory of the session's project decides what runs, by whatever name PATH has it", () => {
  program("src/project/bin/claude-agent-acp");
  program("src/project/node_modules/.bin/claude-agent-acp");
  symlinkSync(join(here(), "bin"), join(home, "linked"));
  const parts = [join(here(), "bin"), join(home, "linked"), join(here(), "node_modules/.bin"), "src/project/bin", ""];
  places = { ...places, searchPath: parts.join(":") };
  expect(findAgent(claude, places, [here()])).toMatchObject({ status: "missing" });
  const mine = { ...claude, npmPackage: undefined, command: ["claude-agent-acp"] } as unknown as AgentDefinition;
  expect(findAgent(mine, places, [here()])).toMatchObject({ status: "missing" });
  // For another session the first of them is a directory like any other, but a package's own programs never are.
  expect(findAgent(claude, places, [join(home, "other")])).toMatchObject({
    file: join(here(), "bin/claude-agent-acp"),
  });
  expect(trustedSearchPath(places.searchPath, { home })).toBe(`${here()}/bin:${home}/linked`);
  expect(trustedSearchPath(`${home}/bin:${here()}`, { home, sessionDirectories: [home] })).toBe(
    `${home}/bin:${here()}`,
  );
  expect(trustedSearchPath(`${home}/bin:${here()}`, { home, sessionDirectories: [here()] })).toBe(`${home}/bin`);
});

test("a Node program is run by a Node that is new enough for its package", () => {
  const file = packageOfClaude("npm/lib/node_modules", "npm/bin", "0.101.0", ">=99");
  const node = process.versions.node;
  const found = findAgent(claude, places);
  expect(found).toMatchObject({
    command: [process.execPath, file],
    nodeTooOld: { needed: "99", version: node },
  });
  const old = program("bin/node", "#!/bin/sh\necho v98.0.0\n");
  expect(findAgent(claude, places)).toMatchObject({
    command: [old, file],
    nodeTooOld: { needed: "99", version: "98.0.0" },
  });
  const beside = program("npm/bin/node", "#!/bin/sh\necho v99.1.0\n");
  const sufficient = findAgent(claude, places);
  expect(sufficient).toMatchObject({ command: [beside, file] });
  expect(sufficient).not.toHaveProperty("nodeTooOld");
  rmSync(beside);
  const name = nodePackage()?.name;
  if (name === undefined) return;
  const own = program(`agents/node/${pinnedNode.version}/node_modules/${name}/bin/node`, "#!/bin/sh\necho v99.0.0\n");
  expect(findAgent(claude, places)).toMatchObject({ command: [own, file] });
});

test("a range that is not understood is met by every Node", () => {
  const file = packageOfClaude("npm/lib/node_modules", "npm/bin", "0.101.0", "^99 || >=101");
  expect(findAgent(claude, places)).toMatchObject({ command: [process.execPath, file] });
  expect(findAgent(claude, places)).not.toHaveProperty("nodeTooOld");
});

test("where an install script was not run, the program is taken from the package for this platform", () => {
  const wrapper = "npm/lib/node_modules/opencode-ai";
  const placeholder = program(`${wrapper}/bin/opencode.exe`, "echo the install script was not run\nexit 1\n");
  writeFileSync(join(home, wrapper, "package.json"), `{"name":"opencode-ai","version":"1.18.33"}`);
  symlinkSync(placeholder, join(home, "npm/bin/opencode"));
  expect(whereIs(opencode)).toContain("incomplete");
  const [, second = ""] = opencode.native?.packages() ?? [];
  const beside = program(`npm/lib/node_modules/${second}/bin/opencode`, "\u007fELF");
  expect(findAgent(opencode, places)).toMatchObject({ from: "npm", version: "1.18.33", command: [beside, "acp"] });
  const inside = program(`${wrapper}/node_modules/${second}/bin/opencode`, "\u007fELF");
  expect(findAgent(opencode, places)).toMatchObject({ command: [inside, "acp"] });
  program(`${wrapper}/bin/opencode.exe`, "\u007fELF");
  expect(findAgent(opencode, places)).toMatchObject({ command: [join(home, "npm/bin/opencode"), "acp"] });
});

test("npm's prefix is the one of the user's variables or .npmrc, or else the one of node", () => {
  program("bin/node");
  const bin = (environment: Record<string, string> = {}) => npmBinDirectory(environment, home, join(home, "bin"));
  expect(bin()).toBe(join(home, "bin"));
  writeFileSync(join(home, ".npmrc"), "registry=x\nprefix=/old\nprefix = ~/${NAME}\n");
  expect(bin({ NAME: "packages" })).toBe(join(home, "packages/bin"));
  expect(bin({ NPM_CONFIG_PREFIX: "/a" })).toBe("/a/bin");
  expect(bin({ npm_config_prefix: "/b" })).toBe("/b/bin");
  expect(bin({ npm_config_prefix: "/of/a/project", npm_lifecycle_event: "start", NAME: "p" })).toBe(`${home}/p/bin`);
});
