// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findTrustProblem } from "./gemini-trust.ts";

let home: string;
let cwd: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-gemini-")));
  cwd = join(home, "src", "project");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(home, ".gemini"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The machine's own settings are not looked at. */
function isReported(environment: Readonly<Record<string, string>> = {}, directory = cwd): boolean {
  const nowhere = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(home, "etc", "settings.json") };
  return findTrustProblem({ cwd: directory, home, environment: { ...nowhere, ...environment } }) !== undefined;
}

function write(name: string, content: object | string): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const trust = (enabled: unknown) => ({ security: { folderTrust: { enabled } } });

test("without settings no directory is trusted, and the problem says what to do about it", () => {
  const environment = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(home, "none.json") };
  const problem = findTrustProblem({ cwd, home, environment });
  expect(problem?.description).toContain("starts no MCP servers");
  expect(problem?.description).toContain(`run \`gemini\` in ${cwd}`);
});

test("settings decide whether trust is asked at all, comments in them included; those of the system come first", () => {
  write(".gemini/settings.json", `{ /* "enabled": true */ "security": {"folderTrust": {"enabled": false}} } // off`);
  expect(isReported()).toBe(false);
  write("etc/settings.json", trust(true));
  expect(isReported()).toBe(true);
  write("etc/settings.json", {});
  write("etc/system-defaults.json", trust(true));
  expect(isReported()).toBe(false);
  write(".gemini/settings.json", trust("no"));
  write("etc/system-defaults.json", trust(false));
  expect(isReported()).toBe(false);
});

test("the longest path in the trusted folders decides, also through links", () => {
  const folders = (rules: object) => write(".gemini/trustedFolders.json", rules);
  folders({ [join(home, "src")]: "TRUST_FOLDER" });
  expect(isReported()).toBe(false);
  folders({ [join(home, "src")]: "TRUST_FOLDER", [cwd]: "DO_NOT_TRUST" });
  expect(isReported()).toBe(true);
  folders({ [join(cwd, "sub")]: "TRUST_PARENT", [join(home, "src")]: "DO_NOT_TRUST" });
  expect(isReported()).toBe(false);
  folders({ [join(home, "src", "pro")]: "TRUST_FOLDER" });
  expect(isReported()).toBe(true);
  symlinkSync(cwd, join(home, "link"));
  folders({ [join(home, "link")]: "TRUST_FOLDER" });
  expect(isReported()).toBe(false);
});

test("variables of the agent's environment override its files", () => {
  write(".gemini/settings.json", trust(false));
  expect(isReported({ GEMINI_CLI_TRUST_WORKSPACE: "false" })).toBe(true);
  expect(isReported({ GEMINI_RESTRICTED_MODE: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" })).toBe(true);
  write(".gemini/settings.json", {});
  expect(isReported({ GEMINI_CLI_TRUST_WORKSPACE: "true" })).toBe(false);
  const elsewhere = write("elsewhere.json", { [cwd]: "TRUST_FOLDER" });
  expect(isReported({ GEMINI_CLI_TRUSTED_FOLDERS_PATH: elsewhere })).toBe(false);
  write("other/.gemini/settings.json", trust(false));
  expect(isReported({ GEMINI_CLI_HOME: join(home, "other") })).toBe(false);
});

test("files with which Gemini exits by itself are not reported here", () => {
  write(".gemini/settings.json", "[]");
  expect(isReported()).toBe(false);
  write(".gemini/settings.json", "{}");
  write(".gemini/trustedFolders.json", { [cwd]: "MAYBE" });
  expect(isReported()).toBe(false);
  write(".gemini/trustedFolders.json", "{");
  expect(isReported()).toBe(false);
});

test("a pipe in the place of its settings is not waited for, and nothing is said", () => {
  execFileSync("mkfifo", [join(home, ".gemini", "settings.json")]);
  expect(isReported()).toBe(false);
});
