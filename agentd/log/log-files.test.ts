// SPDX-License-Identifier: MIT OR Apache-2.0
// The log's files are removed, replaced or truncated while they are open.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "./open.ts";
import { endedSession, runToEnd } from "./testing/maintained-log.ts";
import {
  alpha,
  codeOf,
  everything,
  fill,
  otherConnection,
  temporaryDirectory,
  temporaryLog,
} from "./testing/temporary-log.ts";

/** Opens a log in a directory of its own, which a test can remove. */
function logIn(directory: string): Log {
  mkdirSync(directory);
  return temporaryLog({ file: join(directory, "log.db") });
}

test.each(["log.db-wal", "log.db-shm"])(
  "a log without its %s refuses commits, and the earlier ones are there at the next start",
  (name) => {
    const log = temporaryLog();
    fill(log, alpha, 100);
    rmSync(join(dirname(log.file), name));
    expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
    expect(log.gone()?.message).toContain(name);
    // A killed agentd leaves the files like this, without closing the log.
    const copy = join(temporaryDirectory(), "copy");
    cpSync(dirname(log.file), copy, { recursive: true });
    const next = temporaryLog({ file: join(copy, "log.db") });
    expect(everything(next, alpha)).toHaveLength(100);
    fill(next, alpha, 1);
  },
);

test("a log whose directory was removed refuses commits", () => {
  const log = logIn(join(temporaryDirectory(), "state"));
  fill(log, alpha, 1);
  rmSync(dirname(log.file), { recursive: true });
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  expect(log.gone()?.message).toContain("was removed");
});

test("a log that was replaced by an old copy refuses commits, and leaves the copy unchanged", () => {
  const log = logIn(join(temporaryDirectory(), "state"));
  const directory = dirname(log.file);
  fill(log, alpha, 1);
  cpSync(directory, `${directory}.copy`, { recursive: true });
  fill(log, alpha, 1);
  rmSync(directory, { recursive: true });
  renameSync(`${directory}.copy`, directory);
  const files = (): object =>
    Object.fromEntries(
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).toString("hex")]),
    );
  const before = files();
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  expect(log.gone()?.message).toContain("was replaced");
  log.close();
  expect(files()).toEqual(before);
});

test.each(["log.db-wal", "log.db"])(
  "a log whose %s is truncated in place refuses commits, and closing does not overwrite what is left",
  (name) => {
    const log = temporaryLog();
    fill(log, alpha, 100);
    // Entries in the database file are not lost when the write-ahead log is truncated.
    expect(runToEnd(log.maintenance.reclaimSpace())).toBe(true);
    fill(log, alpha, 100);
    const before = readFileSync(log.file);
    truncateSync(join(dirname(log.file), name));
    expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
    expect(log.gone()?.message).toContain(`${name} was truncated`);
    log.close();
    const left = name === "log.db" ? Buffer.alloc(0) : before;
    expect(readFileSync(log.file).equals(left)).toBe(true);
  },
);

test("a log that is overwritten with a shorter copy refuses commits", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  runToEnd(log.maintenance.reclaimSpace());
  const copy = readFileSync(log.file);
  fill(log, alpha, 1000);
  runToEnd(log.maintenance.reclaimSpace());
  fill(log, alpha, 1);
  writeFileSync(log.file, copy);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
});

test("growth, purges and checkpoints by others are never mistaken for truncation", () => {
  const log = temporaryLog();
  const other = otherConnection(log.file);
  for (let round = 0; round < 5; round += 1) {
    const name = `${round}bravobravob`;
    fill(log, alpha, 500);
    endedSession(log, name, 2000);
    other.pragma(round % 2 === 0 ? "wal_checkpoint(TRUNCATE)" : "wal_checkpoint(PASSIVE)");
    fill(log, alpha, 1);
    runToEnd(log.maintenance.remove(name));
    fill(log, alpha, 1);
    runToEnd(log.maintenance.reclaimSpace());
    fill(log, alpha, 1);
    expect(log.gone()).toBeUndefined();
  }
});

test("a log whose lock file is gone refuses commits, since another agentd may have the log", () => {
  const lockFile = join(temporaryDirectory(), "lock");
  writeFileSync(lockFile, "");
  const log = temporaryLog({ lockFile });
  fill(log, alpha, 1);
  rmSync(lockFile);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  log.close();
  expect(everything(temporaryLog({ file: log.file }), alpha)).toHaveLength(1);
});

test("a log that is moved away and back accepts commits again", () => {
  const log = logIn(join(temporaryDirectory(), "state"));
  fill(log, alpha, 1);
  renameSync(dirname(log.file), `${dirname(log.file)}.away`);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  renameSync(`${dirname(log.file)}.away`, dirname(log.file));
  expect(log.gone()).toBeUndefined();
  fill(log, alpha, 1);
  expect(everything(log, alpha)).toHaveLength(2);
});

test("an empty file in place of a log is refused and left unchanged", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  log.close();
  truncateSync(log.file);
  expect(codeOf(() => temporaryLog({ file: log.file }))).toBe("empty");
  expect(readFileSync(log.file)).toHaveLength(0);
  rmSync(log.file);
  expect(everything(temporaryLog({ file: log.file }), alpha)).toEqual([]);
});

test("no new log is created beside the write-ahead log of a missing one", () => {
  const file = join(temporaryDirectory(), "log.db");
  writeFileSync(`${file}-wal`, "what was said");
  expect(codeOf(() => temporaryLog({ file }))).toBe("gone");
  expect(readFileSync(`${file}-wal`, "utf8")).toBe("what was said");
});
