// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConfigSource, describeProblem, loadConfig } from "./load.ts";
import { defaultSettings } from "./settings.ts";

const uid = process.getuid?.() ?? 0;
let directory: string;
let source: ConfigSource;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-config-"));
  source = { file: join(directory, "agentd.toml"), home: "/home/ann", uid, bytesMax: 64 * 1024 };
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("the file may be missing", () => {
  expect(loadConfig(source)).toEqual({ ok: true, settings: defaultSettings, warnings: [], text: undefined });
  expect(loadConfig({ ...source, file: join(directory, "no", "such", "agentd.toml") }).ok).toBe(true);
});

test("a file is read, and its warnings carry file and key", () => {
  write(`max_sessions = 2\n[policies.p]\nallow_once = [{ kinds = ["switch_mode"], within = "session" }]\n`);
  const loaded = loadConfig(source);
  expect(loaded).toMatchObject({ ok: true, settings: { maxSessions: 2 } });
  expect(loaded.ok && loaded.warnings.map(describeProblem)).toEqual([
    `${source.file}: policies.p.allow_once[0].kinds switch_mode has no effect here: a person always decides about a change of mode`,
  ]);
});

test("every fault is told with file, key and reason", () => {
  write(`[agents.mine]\ncomand = ["a"]\ncommand = ["b"]\n\n[agents.mine.env]\n"A B" = "x"\nC = 3\n`);
  expect(problems()).toEqual([
    `${source.file}: agents.mine.env."A B" must be the name of an environment variable: letters, digits and _, not starting with a digit`,
    `${source.file}: agents.mine.env.C must be text in quotes`,
    `${source.file}: agents.mine.comand is an unknown key; did you mean command?`,
  ]);
});

test("of many faults the first twenty are reported", () => {
  write(Array.from({ length: 500 }, (_, index) => `wrong_${index} = 1`).join("\n"));
  expect(problems()).toHaveLength(20);
});

test("a TOML syntax error is reported with its line, without quoting lines that may contain a secret", () => {
  write(`[agents.mine]\nenv = { KEY = "sk-secret" }\ncommand = \n`);
  expect(problems()).toEqual([`${source.file}:3: is not TOML: invalid value`]);
  expect(JSON.stringify(problems())).not.toContain("sk-secret");
});

test.each([
  [0o620, "written by others"],
  [0o602, "written by others"],
  [0o666, "written by others"],
])("a file of mode %o is refused, whatever it says", (mode, reason) => {
  write("max_sessions = 2");
  chmodSync(source.file, mode);
  expect(problems()).toEqual([expect.stringContaining(reason)]);
});

test.each([0o600, 0o644, 0o444])("a file of mode %o is read", (mode) => {
  write("max_sessions = 2");
  chmodSync(source.file, mode);
  expect(loadConfig(source).ok).toBe(true);
});

test("the file of another user is refused by its owner's number", () => {
  write("max_sessions = 2");
  // Root's file is trusted by everybody, so as root it is given to somebody else.
  if (uid === 0) chownSync(source.file, 12_346, 0);
  const loaded = loadConfig({ ...source, uid: 12_345 });
  expect(loaded.ok ? [] : loaded.problems.map(({ reason }) => reason)).toEqual([
    `belongs to user ${uid === 0 ? 12_346 : uid}, not to user 12345 who runs agentd`,
  ]);
});

test.runIf(uid === 0)("root's file is read for everybody", () => {
  write("max_sessions = 2");
  expect(loadConfig({ ...source, uid: 12_345 })).toMatchObject({ ok: true, settings: { maxSessions: 2 } });
});

test("a file that everybody can replace is refused, unless the directory is sticky", () => {
  write("max_sessions = 2");
  chmodSync(directory, 0o777);
  expect(problems()).toEqual([expect.stringContaining("everybody can replace it")]);
  chmodSync(directory, 0o1777);
  expect(loadConfig(source).ok).toBe(true);
});

test("a missing file that everybody could create is refused as well", () => {
  chmodSync(directory, 0o777);
  expect(problems()).toEqual([expect.stringContaining("everybody can replace it")]);
});

test("of a link, the target is checked", () => {
  const target = join(directory, "elsewhere.toml");
  writeFileSync(target, "max_sessions = 2");
  symlinkSync(target, source.file);
  expect(loadConfig(source)).toMatchObject({ ok: true, settings: { maxSessions: 2 } });
  chmodSync(target, 0o666);
  expect(loadConfig(source).ok).toBe(false);
});

test("a directory, a FIFO, a file too large and bytes that are not UTF-8 are refused with the reason", () => {
  mkdirSync(source.file);
  expect(problems()).toEqual([`${source.file}: is not a regular file`]);
  rmSync(source.file, { recursive: true });
  execFileSync("mkfifo", ["-m", "600", source.file]);
  expect(problems()).toEqual([`${source.file}: is not a regular file`]);
  rmSync(source.file);
  write("");
  truncateSync(source.file, source.bytesMax + 1);
  expect(problems()).toEqual([`${source.file}: is larger than ${source.bytesMax} bytes`]);
  writeFileSync(source.file, Buffer.from([0x61, 0xff]));
  expect(problems()).toEqual([`${source.file}: is not UTF-8 text`]);
  writeFileSync(source.file, Buffer.from("\ufeffmax_sessions = 3\n", "utf16le"));
  expect(problems()).toEqual([`${source.file}: is UTF-16: save it as UTF-8`]);
});

test("a byte order mark before the first line is ignored", () => {
  write("\ufeffmax_sessions = 3\n");
  expect(loadConfig(source)).toMatchObject({ ok: true, settings: { maxSessions: 3 } });
});

test("a broken link counts as a missing file", () => {
  symlinkSync(join(directory, "nowhere"), source.file);
  expect(loadConfig(source)).toMatchObject({ ok: true, text: undefined });
});

function write(text: string): void {
  writeFileSync(source.file, text, { mode: 0o600 });
}

function problems(): string[] {
  const loaded = loadConfig(source);
  return loaded.ok ? [] : loaded.problems.map(describeProblem);
}
