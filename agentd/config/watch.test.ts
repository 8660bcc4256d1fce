// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeProblem, loadConfig } from "./load.ts";
import { type ConfigWatch, watchConfig } from "./watch.ts";

let directory: string;
let file: string;
let watching: ConfigWatch | undefined;
/** What the watch reported, in order: an applied max_sessions, or the text of a refusal. */
let told: (number | string)[];
let onTold: () => void;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-watch-"));
  file = join(directory, "agentd.toml");
  told = [];
  onTold = () => {};
});

afterEach(async () => {
  await watching?.close();
  watching = undefined;
  rmSync(directory, { recursive: true, force: true });
});

test("a good edit is applied", async () => {
  write("max_sessions = 1");
  await start();
  write("max_sessions = 2");
  await until(1);
  expect(told).toEqual([2]);
});

test("a bad edit is refused with file, key and reason, and the mended one is applied", async () => {
  write("max_sessions = 1");
  await start();
  write("mesh = 'refuse'\nmax_session = 2");
  await until(1);
  write("mesh = 'refuse'\nmax_sessions = 2");
  await until(2);
  expect(told).toEqual([`${file}: max_session is an unknown key; did you mean max_sessions?`, 2]);
});

test("an editor that saves by renaming is followed, save after save", async () => {
  write("max_sessions = 1");
  await start();
  for (const count of [2, 3, 4]) {
    writeFileSync(join(directory, ".agentd.toml.swp"), `max_sessions = ${count}`, { mode: 0o600 });
    renameSync(join(directory, ".agentd.toml.swp"), file);
    await until(count - 1);
  }
  expect(told).toEqual([2, 3, 4]);
});

test("an editor that first moves the old file away is followed", async () => {
  write("max_sessions = 1");
  await start();
  renameSync(file, `${file}~`);
  write("max_sessions = 2");
  await until(1);
  expect(told).toEqual([2]);
});

test("edits in quick succession are applied once", async () => {
  write("max_sessions = 1");
  await start();
  for (let count = 2; count <= 50; count += 1) write(`max_sessions = ${count}`);
  await until(1);
  expect(told).toEqual([50]);
});

test("a file created after the start is applied, even if its directory was missing", async () => {
  file = join(directory, "new", "agentd.toml");
  await start();
  write("max_sessions = 2");
  await until(1);
  expect(told).toEqual([2]);
});

test("a removed file leaves its settings in force, and is reported", async () => {
  write("max_sessions = 1");
  await start();
  rmSync(file);
  await until(1);
  write("max_sessions = 2");
  await until(2);
  expect(told).toEqual([expect.stringContaining("was removed; its settings stay in force"), 2]);
});

test("an edit of a file that others can write is refused", async () => {
  write("max_sessions = 1");
  await start();
  chmodSync(file, 0o666);
  write("max_sessions = 2");
  await until(1);
  expect(told).toEqual([expect.stringContaining("written by others")]);
});

test("an edit of a file that everybody can replace is refused, and the previous settings stay", async () => {
  write("max_sessions = 1");
  await start();
  chmodSync(directory, 0o777);
  write("max_sessions = 2");
  await until(1);
  expect(told).toEqual([expect.stringContaining("everybody can replace it")]);
});

test("an edit of a link's target is applied, also when the target is replaced", async () => {
  mkdirSync(join(directory, "dotfiles"));
  const target = join(directory, "dotfiles", "the.toml");
  writeFileSync(target, "max_sessions = 1");
  symlinkSync(target, file);
  await start();
  for (const count of [2, 3]) {
    writeFileSync(`${target}.new`, `max_sessions = ${count}`);
    renameSync(`${target}.new`, target);
    await until(count - 1);
  }
  expect(told).toEqual([2, 3]);
});

test("an edit between the first load and the watch is not lost, and other files of the directory do not count", async () => {
  write("max_sessions = 1");
  const current = load();
  write("max_sessions = 2");
  await start(current);
  writeFileSync(join(directory, "notes.toml"), "max_sessions = 9");
  write("max_sessions = 3");
  await until(2);
  expect(told).toEqual([2, 3]);
});

test("nothing is reported after close", async () => {
  write("max_sessions = 1");
  await start();
  write("max_sessions = 2");
  await watching?.close();
  write("max_sessions = 3");
  const second = watching;
  watching = undefined;
  await second?.close();
  expect(told).toEqual([]);
});

async function start(current = load()): Promise<void> {
  watching = watchConfig({
    ...source(),
    settleMs: 50,
    current,
    onSettings: ({ maxSessions }) => tell(maxSessions),
    onRefused: (problems) => tell(problems.map(describeProblem).join("; ")),
  });
  await watching.ready;
}

function source() {
  return { file, home: "/home/ann", uid: process.getuid?.() ?? 0, bytesMax: 64 * 1024 };
}

function load() {
  return loadConfig(source());
}

function write(text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}

function tell(what: number | string): void {
  told.push(what);
  onTold();
}

/** Waits until `count` reports have come. */
function until(count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`told only ${JSON.stringify(told)}`)), 10_000);
    onTold = () => {
      if (told.length < count) return;
      clearTimeout(deadline);
      resolve();
    };
    onTold();
  });
}
