// SPDX-License-Identifier: MIT OR Apache-2.0
// A session that works in the home directory itself, which contains agentd's own files.
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { embeddedSocketPath } from "../../bus-client/index.ts";
import { pinDirectory } from "../client-side/pin-directory.ts";
import { readTextFile } from "../client-side/files/read-text-file.ts";
import { sweepTemporary, writeTextFile } from "../client-side/files/write-text-file.ts";
import { noFacts } from "../people/tool-call-facts.ts";
import { collectEvidence } from "../people/policy-evidence.ts";
import { evaluatePolicy } from "../session/core/requests/policy.ts";
import { resolveDirectories } from "./directories.ts";
import { instancePaths, type InstancePaths } from "./paths.ts";
import { Reserved } from "./reserved.ts";
import { reservedPlaces } from "./reserved.ts";

let home: string;
let paths: InstancePaths;
let reserved: Reserved;
let socket: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-reserved-")));
  const env = { XDG_RUNTIME_DIR: join(home, "run") };
  const found = instancePaths(env, home);
  if (!found.ok) throw new Error(found.reason);
  ({ paths } = found);
  const surroundings = { env, home, uid: process.getuid?.() ?? 0, etc: join(home, "etc") };
  socket = embeddedSocketPath(surroundings);
  for (const directory of [
    paths.environmentDirectory,
    join(paths.workspacesDirectory, "session-a"),
    dirname(paths.configFile),
    dirname(socket),
    join(home, ".local/state/notifyd"),
    join(home, ".config/mixos"),
    join(home, "src"),
  ]) {
    mkdirSync(directory, { recursive: true });
  }
  for (const file of keptFiles()) writeFileSync(file, "kept");
  writeFileSync(join(home, "src/notes"), "free");
  reserved = new Reserved(reservedPlaces(paths, surroundings));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const keptFiles = (): readonly string[] => [
  paths.configFile,
  paths.logFile,
  `${paths.logFile}-wal`,
  `${paths.logFile}-shm`,
  `${paths.logFile}.schema-1`,
  paths.processLogFile,
  paths.lockFile,
  paths.pidFile,
  join(paths.environmentDirectory, "TOKEN"),
  `${socket}.lock`,
  join(home, ".local/state/notifyd/asks.db"),
  join(home, ".config/mixos/node.conf.mix"),
];

const boundary = () => ({ directories: [home], reserved });
const read = (path: string): string => {
  const answer = readTextFile(path, { ...boundary(), bytesMax: 100 });
  return answer.ok ? answer.text : answer.refusal.reason;
};
const write = (path: string): string => {
  const answer = writeTextFile(path, "mine", { ...boundary(), temporaryName: ".temporary", bytesMax: 100 });
  return answer.ok ? "written" : answer.refusal.reason;
};
const startTerminal = (path: string): string => {
  using answer = pinDirectory(path, boundary());
  return answer.ok ? "held" : answer.refusal.reason;
};
const both = (path: string): readonly string[] => [path, read(path), write(path)];

test("a session in the home directory reads and writes its files, but none of agentd's", () => {
  expect(both(join(home, "src/notes"))).toEqual([join(home, "src/notes"), "free", "written"]);
  for (const file of keptFiles()) {
    expect(both(file)).toEqual([file, "reserved", "reserved"]);
    expect(readFileSync(file, "utf8")).toBe("kept");
  }
});

test("a missing file among agentd's own cannot be created, and is refused with the same message", () => {
  const missing = [
    join(paths.environmentDirectory, "NEW"),
    join(paths.stateDirectory, "new/file"),
    `${paths.logFile}-journal`,
    join(dirname(socket), "bus.sock"),
    join(home, "etc/mixos/node.conf.mix"),
    join(home, ".local/state/notifyd/new"),
  ];
  for (const file of missing) expect(both(file)).toEqual([file, "reserved", "reserved"]);
  expect(read(join(home, "etc"))).toBe("missing");
});

test("a session cannot create the configuration file or its directory", () => {
  rmSync(dirname(paths.configFile), { recursive: true });
  expect(both(paths.configFile)).toEqual([paths.configFile, "reserved", "reserved"]);
  expect(both(join(paths.configFile, "below"))).toEqual([join(paths.configFile, "below"), "reserved", "reserved"]);
  expect(write(join(dirname(paths.configFile), "agentd.toml.bak"))).toBe("written");
  expect(both(paths.configFile)).toEqual([paths.configFile, "reserved", "reserved"]);
});

test("a configuration file that is a link reserves its target, also if that changes or is missing", () => {
  mkdirSync(join(home, "dotfiles"));
  const [one, other] = [join(home, "dotfiles/one.toml"), join(home, "dotfiles/other.toml")];
  writeFileSync(one, "kept");
  rmSync(paths.configFile);
  symlinkSync("../../dotfiles/one.toml", paths.configFile);
  expect([both(one), both(other)]).toEqual([
    [one, "reserved", "reserved"],
    [other, "missing", "written"],
  ]);
  rmSync(other);
  rmSync(paths.configFile);
  symlinkSync(other, join(home, "dotfiles/between"));
  symlinkSync("../../dotfiles/between", paths.configFile);
  expect([both(one), both(other)]).toEqual([
    [one, "kept", "written"],
    [other, "reserved", "reserved"],
  ]);
  expect(read(paths.configFile)).toBe("link");
});

test("the configuration file's directory may be a link, too", () => {
  renameSync(dirname(paths.configFile), join(home, "dotfiles"));
  symlinkSync("../dotfiles", dirname(paths.configFile));
  const real = join(home, "dotfiles/agentd.toml");
  expect([both(real), both(paths.configFile)]).toEqual([
    [real, "reserved", "reserved"],
    [paths.configFile, "reserved", "reserved"],
  ]);
});

test("another hard link to a file of agentd's is reserved as well", () => {
  for (const file of [paths.configFile, paths.logFile, join(paths.environmentDirectory, "TOKEN")]) {
    const name = join(home, "src/linked");
    linkSync(file, name);
    expect([read(name), write(name)]).toEqual(["reserved", "reserved"]);
    rmSync(name);
  }
  linkSync(join(home, "src/notes"), join(home, "src/linked"));
  expect(read(join(home, "src/linked"))).toBe("free");
});

test("a name that a case-insensitive file system may treat as the configuration's is reserved as well", () => {
  rmSync(paths.configFile);
  for (const name of ["AGENTD.TOML", "Agentd.toml", "agentd\u00ad.toml"]) {
    expect(write(join(dirname(paths.configFile), name))).toBe("reserved");
  }
});

test("a state directory that is moved or reached by a link stays reserved", () => {
  symlinkSync(paths.stateDirectory, join(home, "src/link"));
  expect(read(join(home, "src/link/log.db"))).toBe("reserved");
  expect(startTerminal(join(home, "src/link/env"))).toBe("reserved");
  const moved = join(home, "src/moved");
  renameSync(paths.stateDirectory, moved);
  expect(both(join(moved, "env/TOKEN"))).toEqual([join(moved, "env/TOKEN"), "reserved", "reserved"]);
  expect(both(paths.logFile)).toEqual([paths.logFile, "reserved", "reserved"]);
});

test("a path swapped for one of agentd's directories is checked by its current real path", () => {
  mkdirSync(join(home, "src/swapped"));
  writeFileSync(join(home, "src/swapped/TOKEN"), "free");
  expect(read(join(home, "src/swapped/TOKEN"))).toBe("free");
  rmSync(join(home, "src/swapped"), { recursive: true });
  symlinkSync(paths.environmentDirectory, join(home, "src/swapped"));
  expect(both(join(home, "src/swapped/TOKEN"))).toEqual([join(home, "src/swapped/TOKEN"), "reserved", "reserved"]);
});

test("workspaces of sessions are in the state directory and not reserved", () => {
  const file = join(paths.workspacesDirectory, "session-a/hello.txt");
  expect([write(file), read(file)]).toEqual(["written", "mine"]);
  expect(startTerminal(dirname(file))).toBe("held");
  expect(startTerminal(paths.workspacesDirectory)).toBe("reserved");
});

test("no temporary file is swept out of agentd's directories", () => {
  const file = join(paths.environmentDirectory, "TOKEN");
  const options = { ...boundary(), temporaryName: "TOKEN" };
  expect(sweepTemporary(file, options)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("kept");
});

test("a session directory may contain agentd's directories but not be one of them", () => {
  const rules = { configFile: paths.configFile, home, workspacesDirectory: paths.workspacesDirectory, reserved };
  const start = (cwd: string): string => {
    const found = resolveDirectories({ cwd, additionalDirectories: [] }, { ...rules, roots: [home] });
    return found.ok ? "ok" : found.refusal.code;
  };
  const refused = [
    paths.stateDirectory,
    paths.environmentDirectory,
    dirname(socket),
    join(home, ".local/state/notifyd"),
  ];
  expect(refused.map(start)).toEqual(refused.map(() => "ROOT_REFUSED"));
  const allowed = [
    home,
    join(home, ".local/state"),
    dirname(paths.configFile),
    join(paths.workspacesDirectory, "session-a"),
  ];
  expect(allowed.map(start)).toEqual(allowed.map(() => "ok"));
});

test("a policy never allows access to agentd's own files", () => {
  const policy = { allowOnce: [{ kinds: ["edit", "read"], within: "session" }] } as const;
  const ask = (path: string): object => {
    const evidence = collectEvidence(noFacts, { locations: [{ path }] }, { policy, reserved, pathsMax: 8 });
    const options = [{ option: "y", kind: "allow_once" }];
    return evaluatePolicy(policy, { kind: "edit", options, sessionDirectories: [home], evidence });
  };
  expect(ask(join(home, "src/notes"))).toMatchObject({ answer: "y" });
  for (const path of [paths.configFile, join(paths.environmentDirectory, "NEW")]) {
    expect(ask(path)).toEqual({ ask: expect.stringContaining("agentd's own") as string });
  }
});
