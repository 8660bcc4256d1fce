// SPDX-License-Identifier: MIT OR Apache-2.0
// Disks that are full, fail, block or lose data. Each time there is the right error, no partial write, and appending
// works again once the disk does.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "./open.ts";
import { answeredCommand, closedState, endedSession, runToEnd, verified } from "./testing/maintained-log.ts";
import {
  alpha,
  codeOf,
  bravo,
  everything,
  fill,
  message,
  temporaryDirectory,
  temporaryLog,
} from "./testing/temporary-log.ts";

/** Appends until the store refuses a commit. Returns how many entries were acknowledged, and the error's code. */
function fillUntilRefused(log: Log, session: string): { acknowledged: number; code: string } {
  let acknowledged = log.entries.lastSeq(session) ?? 0;
  for (;;) {
    const entries = Array.from({ length: 7 }, (_, index) => message(`${index} ${"x".repeat(1500)}`));
    const code = codeOf(() => log.append([{ session, expectSeq: acknowledged, entries }]));
    if (code !== "no error") return { acknowledged, code };
    acknowledged += entries.length;
  }
}

async function isWhole(log: Log, session: string, entries: number): Promise<void> {
  expect(everything(log, session)).toHaveLength(entries);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
}

test("a log at its size limit refuses a whole commit, and a purge makes room for the next", async () => {
  const log = temporaryLog({ pageCountMax: 400 });
  endedSession(log, bravo, 200, () => "y".repeat(1500));
  const { acknowledged, code } = fillUntilRefused(log, alpha);
  expect(code).toBe("full");
  await isWhole(log, alpha, acknowledged);
  runToEnd(log.maintenance.purge(bravo));
  fill(log, alpha, 50, () => "x".repeat(1500));
  await isWhole(log, alpha, acknowledged + 50);
});

/** Mounts a small disk; undefined if that is not permitted. */
function smallDisk(bytes: string): { directory: string; remount(options: string): void } | undefined {
  const directory = temporaryDirectory();
  if (process.platform !== "linux") return undefined;
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "none", directory]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", directory]));
  return {
    directory,
    remount: (options) => void execFileSync("mount", ["-o", `remount,${options}`, directory]),
  };
}

test("a full disk refuses a whole commit, and the same connection works again when there is room", async ({ skip }) => {
  const disk = smallDisk("1m") ?? skip("mounting a small disk takes root");
  const log = temporaryLog({ file: path.join(disk.directory, "log.db") });
  const { acknowledged, code } = fillUntilRefused(log, alpha);
  expect(code).toBe("full");
  expect(everything(log, alpha)).toHaveLength(acknowledged);
  expect(log.sessions.row(alpha)?.last_seq).toBe(acknowledged);
  disk.remount("size=8m");
  fill(log, alpha, 100, () => "x".repeat(1500));
  await isWhole(log, alpha, acknowledged + 100);
  log.close();
});

test("a disk that became read-only refuses commits until it can be written again", async ({ skip }) => {
  const disk = smallDisk("4m") ?? skip("mounting a small disk takes root");
  const file = path.join(disk.directory, "log.db");
  const log = temporaryLog({ file });
  fill(log, alpha, 10);
  log.close();
  disk.remount("ro");
  expect(["cannot_open", "read_only"]).toContain(codeOf(() => temporaryLog({ file })));
  disk.remount("rw");
  const again = temporaryLog({ file });
  fill(again, alpha, 1);
  await isWhole(again, alpha, 11);
  again.close();
});

/** Program of another process that locks the file exclusively until its stdin ends. */
const holder = `
  const Database = require(process.argv[1]);
  const db = new Database(process.argv[2]);
  db.exec("BEGIN EXCLUSIVE");
  process.stdout.write("held\\n");
  process.stdin.resume().on("end", () => { db.exec("ROLLBACK"); db.close(); });`;

test(
  "while another process locks the file, commits and purges fail quickly, reads work, and afterwards all works again",
  { tags: "slow" },
  async () => {
    const log = temporaryLog();
    fill(log, alpha, 5);
    endedSession(log, bravo, 600);
    const purge = log.maintenance.purge(bravo);
    purge.next();
    const driver = fileURLToPath(import.meta.resolve("better-sqlite3"));
    const child = spawn(process.execPath, ["-e", holder, driver, log.file], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const began = performance.now();
    let refused = 0;
    while (performance.now() - began < 3000) {
      expect(codeOf(() => fill(log, alpha, 1))).toBe("busy");
      refused += 1;
    }
    expect(refused).toBeGreaterThan(3);
    expect(everything(log, alpha)).toHaveLength(5);
    expect(codeOf(() => runToEnd(purge))).toBe("busy");
    child.stdin.end();
    await once(child, "exit");
    fill(log, alpha, 1);
    await isWhole(log, alpha, 6);
    expect(log.maintenance.unfinishedPurges()).toEqual([bravo]);
    runToEnd(log.maintenance.purge(bravo));
    await isWhole(log, bravo, 0);
  },
);

/** Builds the library that makes the disk fail; undefined if there is no compiler or no LD_PRELOAD. */
function failingDisk(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const library = path.join(temporaryDirectory(), "failing-disk.so");
  const source = fileURLToPath(new URL("testing/failing-disk.c", import.meta.url));
  const made = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  return made.status === 0 ? library : undefined;
}

interface Child extends AsyncDisposable {
  ask(request: string): Promise<string>;
  /** Undefined: the disk works again. */
  fail(kind: "w" | "n" | "s" | "c" | "r" | undefined): void;
}

async function childOnFailingDisk(library: string, file: string): Promise<Child> {
  const program = fileURLToPath(new URL("testing/append-on-request.ts", import.meta.url));
  const faults = path.join(temporaryDirectory(), "switch");
  const child = spawn(process.execPath, ["--import", "tsx", program, file], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, LD_PRELOAD: library, FAULT_SWITCH: faults, FAULT_FILE: file },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("open");
  return {
    ask: async (request) => {
      child.stdin.write(`${request}\n`);
      return String((await lines.next()).value);
    },
    fail: (kind) => (kind === undefined ? rmSync(faults) : writeFileSync(faults, kind)),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

test("a disk that is full or fails to write or sync refuses whole commits, and afterwards the process goes on", async ({
  skip,
}) => {
  const library = failingDisk() ?? skip("it takes a C compiler and a loader that preloads");
  const file = path.join(temporaryDirectory(), "log.db");
  {
    await using child = await childOnFailingDisk(library, file);
    expect(await child.ask(`append ${alpha} 10`)).toBe("10");
    let seq = 10;
    for (const [kind, code] of [
      ["w", "io"],
      ["s", "io"],
      ["n", "full"],
    ] as const) {
      child.fail(kind);
      expect([kind, await child.ask(`append ${alpha} 30`)]).toEqual([kind, code]);
      expect(await child.ask(`append ${bravo} 1`)).toBe(code);
      expect(await child.ask(`read ${alpha}`)).toBe(String(seq));
      child.fail(undefined);
      seq += 5;
      expect(await child.ask(`append ${alpha} 5`)).toBe(String(seq));
    }
    // Commits still go to the write-ahead log while a checkpoint to the file fails.
    child.fail("c");
    for (let round = 0; round < 5; round += 1) {
      seq += 1500;
      expect(await child.ask(`append ${alpha} 1500`)).toBe(String(seq));
    }
    child.fail(undefined);
    expect(await child.ask(`append ${bravo} 3`)).toBe("3");
  }
  expect(existsSync(`${file}-wal`)).toBe(false);
  const log = temporaryLog({ file });
  await isWhole(log, alpha, 7525);
  expect(everything(log, bravo)).toHaveLength(3);
});

test("a torn end of the write-ahead log loses only whole commits at the end", async () => {
  const log = temporaryLog();
  const commits = 12;
  for (let commit = 0; commit < commits; commit += 1) {
    const entries = Array.from({ length: 3 }, (_, index) => message(`${commit}.${index} ${"x".repeat(900)}`));
    log.append([{ session: alpha, expectSeq: 3 * commit, entries }]);
  }
  const walBytes = statSync(`${log.file}-wal`).size;
  const frameBytes = 8192 + 24;
  let lost = 0;
  // Cuts as a machine that stops leaves them: inside the last page, inside its header, at its edge, and further back.
  for (const torn of [1, 4000, 8190, frameBytes, frameBytes + 1, 3 * frameBytes, 9 * frameBytes + 7]) {
    const file = path.join(temporaryDirectory(), "log.db");
    copyFileSync(log.file, file);
    copyFileSync(`${log.file}-wal`, `${file}-wal`);
    truncateSync(`${file}-wal`, walBytes - torn);
    const opened = temporaryLog({ file });
    const left = everything(opened, alpha).length;
    expect(left % 3).toBe(0);
    expect(left).toBeLessThan(3 * commits);
    expect(left).toBeGreaterThanOrEqual(3 * (commits - 5));
    lost = Math.max(lost, commits - left / 3);
    fill(opened, alpha, 1);
    await isWhole(opened, alpha, left + 1);
    opened.close();
  }
  expect(lost).toBeGreaterThan(1);
});

test("opening a log that lost its end gives `corrupt` and does not write to it", () => {
  const log = temporaryLog();
  fill(log, alpha, 1000, () => "x".repeat(500));
  answeredCommand(log, alpha, { scope: alpha, commandId: "c", body: "{}" });
  log.append([{ session: alpha, expectSeq: 1002, entries: [closedState] }]);
  log.close();
  for (const share of [0.9, 0.5, 0.1]) {
    const bytes = Math.floor(statSync(log.file).size * share);
    truncateSync(log.file, bytes);
    expect(codeOf(() => temporaryLog({ file: log.file }))).toBe("corrupt");
    expect(statSync(log.file).size).toBe(bytes);
  }
});
