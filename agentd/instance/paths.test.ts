// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InstancePaths, instancePaths, prepareStateDirectory } from "./paths.ts";

const uid = process.getuid?.() ?? 0;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-paths-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("without variables the paths are XDG's defaults in the home directory", () => {
  expect(paths({})).toEqual({
    configFile: "/home/ann/.config/agentd/agentd.toml",
    stateDirectory: "/home/ann/.local/state/agentd",
    logFile: "/home/ann/.local/state/agentd/log.db",
    processLogFile: "/home/ann/.local/state/agentd/agentd.log",
    environmentDirectory: "/home/ann/.local/state/agentd/env",
    lockFile: "/home/ann/.local/state/agentd/agentd.lock",
    pidFile: "/home/ann/.local/state/agentd/agentd.pid",
    workspacesDirectory: "/home/ann/.local/state/agentd/workspaces",
    demoSessionsDirectory: "/home/ann/.local/state/agentd/demo-sessions",
    temporaryDirectory: "/home/ann/.local/state/agentd/tmp",
    agentsDirectory: "/home/ann/.local/share/agentd/agents",
  });
});

test("XDG variables move the paths, and AGENTD_ variables override them", () => {
  const xdg = { XDG_CONFIG_HOME: "/x/config", XDG_STATE_HOME: "/x/state" };
  expect(paths(xdg)).toMatchObject({ configFile: "/x/config/agentd/agentd.toml", stateDirectory: "/x/state/agentd" });
  expect(paths({ ...xdg, AGENTD_CONFIG: "/a/../a.toml", AGENTD_STATE_DIR: "/b/" })).toMatchObject({
    configFile: "/a.toml",
    logFile: "/b/log.db",
  });
});

test("empty variables count as unset, and relative XDG variables are ignored", () => {
  const environment = { AGENTD_CONFIG: "", AGENTD_STATE_DIR: "", XDG_CONFIG_HOME: "config", XDG_STATE_HOME: "" };
  expect(paths(environment)).toEqual(paths({}));
});

test("a relative AGENTD_ variable is refused by name", () => {
  expect(instancePaths({ AGENTD_CONFIG: "a.toml" }, "/home/ann")).toMatchObject({
    ok: false,
    reason: expect.stringContaining("AGENTD_CONFIG"),
  });
  expect(instancePaths({ AGENTD_STATE_DIR: "state" }, "/home/ann")).toMatchObject({
    ok: false,
    reason: expect.stringContaining("AGENTD_STATE_DIR"),
  });
});

test("no home directory is needed if both variables are set", () => {
  expect(instancePaths({}, "").ok).toBe(false);
  expect(instancePaths({ AGENTD_STATE_DIR: "/s" }, "").ok).toBe(false);
  expect(instancePaths({ AGENTD_STATE_DIR: "/s", AGENTD_CONFIG: "/c" }, "").ok).toBe(true);
});

test("missing parts of the state directory are created private", () => {
  const before = process.umask(0);
  try {
    const made = paths({ AGENTD_STATE_DIR: join(directory, "deep", "state") });
    expect(prepareStateDirectory(made, uid)).toEqual({ ok: true });
    const modes = [made.stateDirectory, made.environmentDirectory, made.workspacesDirectory].map(modeOf);
    expect(modes).toEqual([0o700, 0o700, 0o700]);
    expect(prepareStateDirectory(made, uid)).toEqual({ ok: true });
  } finally {
    process.umask(before);
  }
});

test.each([0o770, 0o702, 0o777, 0o1777])("a state directory of mode %o, which others can write, is refused", (mode) => {
  const state = join(directory, "state");
  mkdirSync(state);
  chmodSync(state, mode);
  expect(prepareStateDirectory(paths({ AGENTD_STATE_DIR: state }), uid)).toEqual({
    ok: false,
    path: state,
    reason: expect.stringContaining("is writable by others"),
  });
});

test("a state directory that others can move is refused, naming the directory that permits it", () => {
  const above = join(directory, "above");
  mkdirSync(above);
  chmodSync(above, 0o777);
  expect(prepareStateDirectory(paths({ AGENTD_STATE_DIR: join(above, "state") }), uid)).toMatchObject({
    ok: false,
    reason: expect.stringContaining(`${above} is a directory where everybody can replace it`) as string,
  });
});

test("a directory within it that others can write is refused too", () => {
  const state = paths({ AGENTD_STATE_DIR: directory });
  mkdirSync(state.environmentDirectory);
  chmodSync(state.environmentDirectory, 0o720);
  expect(prepareStateDirectory(state, uid)).toMatchObject({ ok: false, path: state.environmentDirectory });
});

test("a state directory that others can only read is made private", () => {
  chmodSync(directory, 0o755);
  expect(prepareStateDirectory(paths({ AGENTD_STATE_DIR: directory }), uid)).toEqual({ ok: true });
  expect(modeOf(directory)).toBe(0o700);
});

test("the directory of another user, a file and a broken link are refused", () => {
  const at = (state: string, user = uid) => prepareStateDirectory(paths({ AGENTD_STATE_DIR: state }), user);
  expect(at(directory, uid + 1)).toMatchObject({ ok: false, reason: expect.stringContaining(`user ${uid}, not`) });
  writeFileSync(join(directory, "file"), "");
  expect(at(join(directory, "file"))).toMatchObject({ ok: false, reason: "is not a directory" });
  expect(at(join(directory, "file", "below"))).toMatchObject({ ok: false, reason: "is not a directory" });
  symlinkSync(join(directory, "nowhere"), join(directory, "link"));
  expect(at(join(directory, "link"))).toMatchObject({ ok: false });
});

function paths(environment: Record<string, string>): InstancePaths {
  const found = instancePaths(environment, "/home/ann");
  if (!found.ok) throw new Error(found.reason);
  return found.paths;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}
