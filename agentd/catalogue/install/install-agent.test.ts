// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeFileLock } from "../../../files/file-lock.ts";
import { claude } from "../agents/claude.ts";
import { codex } from "../agents/codex.ts";
import { demoAgent } from "../agents/demo.ts";
import type { AgentDefinition } from "../agents/definition.ts";
import { findAgent } from "../find-program.ts";
import { installedNode, nodePackage, pinnedNode } from "../installed-agents.ts";
import { installAgent, type Installer, removeAgent } from "./install-agent.ts";

let home: string;
let aborted: AbortController;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-install-")));
  aborted = new AbortController();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const agents = (): string => join(home, "data", "agents");
const uid = process.getuid?.() ?? 0;

function installer(environment: Record<string, string> = {}): Installer & { readonly stages: string[] } {
  const stages: string[] = [];
  return {
    places: {
      searchPath: join(home, "bin"),
      home,
      npmBin: () => join(home, "none"),
      agents: { path: agents(), uid },
      nodeProgram: process.execPath,
    },
    environment: { HOME: home, ...environment },
    signal: aborted.signal,
    stages,
    onProgress: ({ name, version }) => stages.push(`${name} ${version}`),
  };
}

/**
 * An npm that installs packages without a registry: each has a program of the given text. It writes its arguments and
 * environment down; `then` runs at its end.
 */
function fakeNpm(then = "", { version, engines }: { version?: string; engines?: string } = {}): void {
  program(
    "bin/npm",
    `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const what = process.argv.at(-1), at = what.lastIndexOf("@");
const [name, asked] = [what.slice(0, at), what.slice(at + 1)];
const version = ${JSON.stringify(version ?? null)} ?? asked;
fs.appendFileSync(${JSON.stringify(join(home, "npm-runs"))}, JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }) + "\\n");
const directory = path.join(process.cwd(), "node_modules", name), bin = path.join(process.cwd(), "node_modules/.bin");
fs.mkdirSync(path.join(directory, "bin"), { recursive: true });
fs.mkdirSync(bin, { recursive: true });
fs.writeFileSync(path.join(directory, "package.json"), JSON.stringify({ name, version, engines: { node: ${JSON.stringify(engines ?? ">=20")} } }));
const own = name.startsWith("node-") ? "#!/bin/sh\\necho v" + version : "#!/usr/bin/env node\\n";
fs.writeFileSync(path.join(directory, "bin", "node"), own, { mode: 0o755 });
for (const program of ["claude-agent-acp", "codex-acp"]) fs.symlinkSync(path.join("..", name, "bin/node"), path.join(bin, program));
process.stderr.write("npm http fetch GET 200 https://registry.invalid/x/-/x-1.tgz 12ms (cache miss)\\n");
${then}
`,
  );
}

function program(name: string, text: string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

interface NpmRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function npmRuns(): NpmRun[] {
  const text = existsSync(join(home, "npm-runs")) ? readFileSync(join(home, "npm-runs"), "utf8") : "";
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as NpmRun);
}

/** What is in agentd's directory, besides the lock. */
const kept = (): string[] =>
  readdirSync(agents(), { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith(".lock") && name.split("/").length < 3,
  );

test("the pinned version is installed without install scripts, in agentd's own directory, and found there", async () => {
  fakeNpm();
  const asked = installer({ NPM_CONFIG_REGISTRY: "https://registry.invalid", HTTPS_PROXY: "http://proxy.invalid" });
  const directory = join(agents(), "codex", "2.6.0");
  const link = join(directory, "node_modules", ".bin", "codex-acp");
  expect(await installAgent(asked, codex)).toEqual({
    version: "2.6.0",
    directory,
    was_there: false,
    file: link,
    from: "agentd",
  });
  const [run, ...more] = npmRuns();
  expect(more).toEqual([]);
  expect(run?.args.at(0)).toBe("install");
  expect(run?.args.at(-1)).toBe("@agentclientprotocol/codex-acp@2.6.0");
  expect(run?.args).toContain("--ignore-scripts");
  expect(dirname(run?.cwd ?? "")).toBe(agents());
  expect(run?.args).toContain(`--prefix=${run?.cwd}`);
  expect(run?.env).toMatchObject({
    NPM_CONFIG_REGISTRY: "https://registry.invalid",
    HTTPS_PROXY: "http://proxy.invalid",
  });
  expect(findAgent(codex, asked.places)).toMatchObject({ from: "agentd", file: link, version: "2.6.0" });
  expect(statSync(agents()).mode & 0o777).toBe(0o700);
  expect(kept()).toEqual(["codex", "codex/2.6.0"]);
  expect(new Set(asked.stages)).toEqual(new Set(["codex 2.6.0"]));
  expect(await installAgent(asked, codex)).toMatchObject({ was_there: true });
  expect(npmRuns()).toHaveLength(1);
});

test("what a package script set for a project does not decide from where npm installs, or into what", async () => {
  fakeNpm();
  await installAgent(
    installer({
      npm_lifecycle_event: "start",
      npm_config_registry: "https://of-the-project.invalid",
      npm_config_local_prefix: "/project",
      INIT_CWD: "/project",
      NODE_OPTIONS: "--no-warnings",
      AGENTD_SESSION: "one",
    }),
    codex,
  );
  const names = Object.keys(npmRuns()[0]?.env ?? {});
  expect(names.filter((name) => /^(npm_|INIT_CWD|NODE_OPTIONS|AGENTD_)/u.test(name))).toEqual([]);
});

test("an agent that needs a newer Node than there is gets one, and it goes with the last agent", async () => {
  if (nodePackage() === undefined) return;
  fakeNpm("", { engines: ">=22" });
  program("bin/node", "#!/bin/sh\necho v20.1.0\n");
  const asked = { ...installer(), places: { ...installer().places, nodeProgram: join(home, "bin/node") } };
  expect(await installAgent(asked, claude)).toMatchObject({ node: pinnedNode.version, was_there: false });
  const own = installedNode(asked.places.agents);
  const link = join(agents(), "claude", "0.101.0", "node_modules/.bin/claude-agent-acp");
  expect(findAgent(claude, asked.places)).toMatchObject({ command: [own, link] });
  expect(findAgent(claude, asked.places)).not.toHaveProperty("nodeTooOld");
  await installAgent(asked, codex);
  expect(npmRuns()).toHaveLength(3);
  expect(await removeAgent(asked, codex)).toEqual(["2.6.0"]);
  expect(kept()).toEqual(expect.arrayContaining(["node", "claude"]));
  expect(await removeAgent(asked, claude)).toEqual(["0.101.0"]);
  expect(kept()).toEqual([]);
  expect(await removeAgent(asked, claude)).toEqual([]);
});

test.each([
  ["ECONNREFUSED", "INSTALL_NETWORK", "package download failed"],
  ["EAI_AGAIN", "INSTALL_NETWORK", "package download failed"],
  ["ENOSPC", "INSTALL_NO_SPACE", "disk is full"],
  ["E403", "INSTALL_REFUSED", "refused the download"],
  ["EACCES", "INSTALL_REFUSED", "could not be written"],
  ["ETARGET", "INSTALL_FAILED", "does not have it"],
  ["EWHATEVER", "INSTALL_FAILED", "exit code 7"],
])("npm's error %s is %s, nothing is left of it, and the earlier version still runs", async (code, expected, words) => {
  fakeNpm();
  const earlier = { ...codex, npmVersion: "2.5.0" } as AgentDefinition;
  await installAgent(installer(), earlier);
  fakeNpm(
    `process.stderr.write("npm error code ${code}\\nnpm error see https://ann:hush@registry.invalid/x\\nnpm error A complete log of this run is in /x\\n"); process.exitCode = 7;`,
  );
  const failed = installAgent(installer(), codex);
  await expect(failed).rejects.toMatchObject({ code: expected, message: expect.stringContaining(words) });
  await expect(failed).rejects.toThrow(/npm says: see https:\/\/registry.invalid\/x$/u);
  expect(kept()).toEqual(["codex", "codex/2.5.0"]);
  expect(findAgent(codex, installer().places)).toMatchObject({ version: "2.5.0" });
});

test("an npm that installed another version, or no program, has installed nothing", async () => {
  fakeNpm("", { version: "9.9.9" });
  await expect(installAgent(installer(), codex)).rejects.toMatchObject({ code: "INSTALL_FAILED" });
  fakeNpm(`fs.rmSync(bin, { recursive: true });`);
  await expect(installAgent(installer(), codex)).rejects.toMatchObject({
    code: "INSTALL_FAILED",
    message: "npm reported no failure, but has not installed the program codex-acp",
  });
  expect(kept()).toEqual([]);
});

test("without npm, and in a directory in which others write, it is refused in words", async () => {
  const asked = { ...installer(), places: { ...installer().places, nodeProgram: join(home, "nowhere/node") } };
  mkdirSync(agents(), { recursive: true, mode: 0o700 });
  const open = { ...asked, places: { ...asked.places, agents: { path: home, uid: uid + 1 } } };
  await expect(installAgent(open, codex)).rejects.toMatchObject({ code: "INSTALL_REFUSED" });
  await expect(installAgent(asked, codex)).rejects.toMatchObject({ code: "INSTALL_NO_NPM" });
  program("bin/npm", "#!/nowhere\n");
  await expect(installAgent(asked, codex)).rejects.toMatchObject({ code: "INSTALL_FAILED" });
  expect(kept()).toEqual([]);
});

test("of two at once the second is refused, and what an interrupted one left is removed", async () => {
  fakeNpm();
  mkdirSync(join(agents(), ".new-abc", "node_modules"), { recursive: true, mode: 0o700 });
  const lock = takeFileLock(join(agents(), ".lock"), 0);
  await expect(installAgent(installer(), codex)).rejects.toMatchObject({ code: "INSTALL_BUSY" });
  expect(kept()).toContain(".new-abc");
  lock?.close();
  await installAgent(installer(), codex);
  expect(kept()).toEqual(["codex", "codex/2.6.0"]);
});

test("a lock that cannot be taken, and a file in an agent's place, are refused in words", async () => {
  fakeNpm();
  mkdirSync(agents(), { recursive: true, mode: 0o700 });
  writeFileSync(join(agents(), "codex"), "");
  await expect(installAgent(installer(), codex)).rejects.toMatchObject({ code: "INSTALL_REFUSED" });
  writeFileSync(join(agents(), ".lock"), "no database, but of the size of one".repeat(200));
  for (const change of [installAgent, removeAgent]) {
    const message = `${join(agents(), ".lock")} cannot be locked: file is not a database`;
    await expect(change(installer(), codex)).rejects.toMatchObject({ code: "INSTALL_REFUSED", message });
  }
});

test("a cancelled installation ends npm and leaves nothing", async () => {
  fakeNpm(`setInterval(() => {}, 1000);`);
  const ended = installAgent(installer(), codex).catch((error: unknown) => error);
  await new Promise<void>((resolve) => {
    const watched = watch(home, () => {
      if (npmRuns().length === 0) return;
      watched.close();
      resolve();
    });
    if (npmRuns().length > 0) resolve();
  });
  aborted.abort();
  expect(await ended).toMatchObject({ code: "CANCELLED" });
  expect(kept()).toEqual([]);
});

test("an agent of the configuration, and the one that comes with agentd, are not installed", async () => {
  const demo = demoAgent({ nodeProgram: "/n", demoProgram: "/d", demoSessions: "/s", version: "1" });
  await expect(installAgent(installer(), demo)).rejects.toMatchObject({ code: "NOT_INSTALLABLE" });
  const mine = { ...codex, builtIn: false, npmPackage: undefined, install: undefined } as unknown as AgentDefinition;
  await expect(installAgent(installer(), mine)).rejects.toThrow("configuration");
});
