// SPDX-License-Identifier: MIT OR Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identityOf } from "../../acp-client/process/process-identity.ts";
import { type LockOptions, acquireInstanceLock, readPidRecord } from "./lock.ts";

const startedAt = "2026-01-02T03:04:05.678Z";
let directory: string;
let options: LockOptions;
let contenders: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-lock-"));
  const [lockFile, pidFile] = [join(directory, "agentd.lock"), join(directory, "agentd.pid")];
  options = { lockFile, pidFile, pid: process.pid, startedAt, build: { version: "1" }, waitMs: 250 };
  contenders = [];
});

afterEach(async () => {
  for (const child of contenders) await kill(child);
  rmSync(directory, { recursive: true, force: true });
});

test("a second process is told who holds the lock, until it is released", () => {
  const first = acquireInstanceLock(options);
  expect(first.ok).toBe(true);
  const second = acquireInstanceLock({ ...options, pid: 1 });
  expect(second).toEqual({
    ok: false,
    holder: { pid: process.pid, started_at: startedAt },
    message: expect.stringContaining(`pid ${process.pid}`),
  });
  release(first);
  const third = acquireInstanceLock(options);
  expect(third.ok).toBe(true);
  release(third);
});

test("the files are private, and only the lock file outlives the holder", () => {
  const before = process.umask(0);
  const held = acquireInstanceLock(options);
  process.umask(before);
  expect([options.lockFile, options.pidFile].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  release(held);
  release(held);
  expect(readdirSync(directory)).toEqual(["agentd.lock"]);
});

test("another process's lock is respected, and released when that process is killed", async () => {
  const holder = contender();
  expect(await holder.ask()).toMatchObject({ ok: true });
  expect(acquireInstanceLock(options)).toMatchObject({ ok: false, holder: { pid: holder.child.pid } });
  await kill(holder.child);
  // Its record still exists; only the lock decides.
  expect(readPidRecord(options.pidFile)).toMatchObject({ pid: holder.child.pid });
  const mine = acquireInstanceLock(options);
  expect(mine.ok).toBe(true);
  expect(readPidRecord(options.pidFile)).toEqual({ pid: process.pid, started_at: startedAt });
  release(mine);
});

test("of four that start at once exactly one wins, and the others name it", { tags: "slow" }, async () => {
  for (let round = 0; round < 3; round += 1) {
    const racers = [contender(), contender(), contender(), contender()];
    await Promise.all(racers.map(({ isUp }) => isUp));
    const said = await Promise.all(racers.map((racer) => racer.ask()));
    const winners = racers.filter((_, index) => said[index]?.ok === true);
    expect(winners).toHaveLength(1);
    const losers = said.filter(({ ok }) => !ok);
    expect(losers.map(({ holder }) => holder?.pid)).toEqual(losers.map(() => winners[0]?.child.pid));
    await Promise.all(racers.map(({ child }) => kill(child)));
  }
});

test("without its lock file a holder with a record still counts, and does not remove the next holder's record", async () => {
  const identity = identityOf(process.pid);
  const first = acquireInstanceLock({ ...options, identity });
  rmSync(options.lockFile);
  const other = contender();
  expect(await other.ask()).toMatchObject({ ok: false, holder: { pid: process.pid } });
  rmSync(options.lockFile);
  rmSync(options.pidFile);
  const next = contender();
  expect(await next.ask()).toMatchObject({ ok: true });
  release(first);
  expect(readPidRecord(options.pidFile)).toMatchObject({ pid: next.child.pid });
});

test("a holder that has written no record is still a holder", () => {
  const held = acquireInstanceLock(options);
  rmSync(options.pidFile);
  expect(acquireInstanceLock(options)).toMatchObject({ ok: false, holder: undefined });
  release(held);
});

test("an invalid record is ignored", () => {
  for (const text of [
    "",
    "{",
    "null",
    "3",
    "{}",
    `{"pid":-1,"started_at":"x"}`,
    `{"pid":"1","started_at":"x"}`,
    `{"pid":1.5,"started_at":"x"}`,
    `{"pid":1}`,
  ]) {
    writeFileSync(options.pidFile, text);
    expect([text, readPidRecord(options.pidFile)]).toEqual([text, undefined]);
  }
  rmSync(options.pidFile);
  expect(readPidRecord(options.pidFile)).toBeUndefined();
});

test("a lock file that is not a database, or cannot be created, is an error and not a refusal", () => {
  writeFileSync(
    options.lockFile,
    "this is not a database, and long enough that nobody takes it for an empty one".repeat(20),
  );
  expect(() => acquireInstanceLock(options)).toThrow("cannot be locked");
  expect(() => acquireInstanceLock({ ...options, lockFile: join(directory, "no", "such") })).toThrow(
    "cannot be locked",
  );
});

test("if the record cannot be written the lock is released", () => {
  expect(() => acquireInstanceLock({ ...options, pidFile: join(directory, "no", "such.pid") })).toThrow(
    "cannot be written",
  );
  const held = acquireInstanceLock(options);
  expect(held.ok).toBe(true);
  release(held);
});

interface Said {
  readonly ok: boolean;
  readonly holder?: { readonly pid: number };
}

interface Contender {
  readonly child: ChildProcess;
  /** Resolves when it has loaded everything. */
  readonly isUp: Promise<unknown>;
  /** Makes it try to take the lock. */
  readonly ask: () => Promise<Said>;
}

/**
 * A real process that takes the lock on command, prints the result, and keeps the lock until it is killed. It tries for a
 * second, since on a loaded machine the winner may be slow to write its record.
 */
function contender(): Contender {
  const program = `
    import { acquireInstanceLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    let acquired;
    process.stdin.once("data", () => {
      acquired = acquireInstanceLock({ ...${JSON.stringify({ ...options, waitMs: 1_000 })}, pid: process.pid });
      const { lock, ...said } = acquired;
      process.stdout.write(JSON.stringify(said) + "\\n");
    });
    process.stdin.once("end", () => process.exit());
    process.stdout.write("up\\n");
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  contenders.push(child);
  const lines = createInterface({ input: child.stdout });
  const nextLine = () => once(lines, "line", { signal: AbortSignal.timeout(50_000) });
  const isUp = nextLine();
  const ask = async (): Promise<Said> => {
    await isUp;
    const said = nextLine();
    child.stdin.write("go\n");
    return JSON.parse((await said)[0] as string) as Said;
  };
  return { child, isUp, ask };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function release(acquired: ReturnType<typeof acquireInstanceLock>): void {
  if (acquired.ok) acquired.lock.release();
}
