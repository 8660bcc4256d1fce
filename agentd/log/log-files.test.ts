// SPDX-License-Identifier: MIT OR Apache-2.0
// A log whose files are removed or replaced under a daemon that has them open.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "./open.ts";
import { endedSession, taken } from "./testing/maintained-log.ts";
import {
  alpha,
  codeOf,
  everything,
  fill,
  otherConnection,
  temporaryDirectory,
  temporaryLog,
} from "./testing/temporary-log.ts";

/** In a directory of its own, which can go. */
function logIn(directory: string): Log {
  mkdirSync(directory);
  return temporaryLog({ file: join(directory, "log.db") });
}

test.each(["log.db-wal", "log.db-shm"])(
  "without its %s a log takes nothing more, and what it took is there at the next start",
  (name) => {
    const log = temporaryLog();
    fill(log, alpha, 100);
    rmSync(join(dirname(log.file), name));
    expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
    expect(log.gone()?.message).toContain(name);
    // As a killed agentd leaves it: nothing is closed.
    const copy = join(temporaryDirectory(), "copy");
    cpSync(dirname(log.file), copy, { recursive: true });
    const next = temporaryLog({ file: join(copy, "log.db") });
    expect(everything(next, alpha)).toHaveLength(100);
    fill(next, alpha, 1);
  },
);

test("a log whose directory was removed takes nothing more", () => {
  const log = logIn(join(temporaryDirectory(), "state"));
  fill(log, alpha, 1);
  rmSync(dirname(log.file), { recursive: true });
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  expect(log.gone()?.message).toContain("was removed");
});

test("a log that an old copy was put in place of takes nothing more, and leaves the copy alone", () => {
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
  "a log whose %s is cut in its place takes nothing more, and closing writes nothing over what is left",
  (name) => {
    const log = temporaryLog();
    fill(log, alpha, 100);
    // What was brought into the log itself is out of harm's way of a cut write-ahead log.
    expect(taken(log.maintenance.reclaimSpace())).toBe(true);
    fill(log, alpha, 100);
    const before = readFileSync(log.file);
    truncateSync(join(dirname(log.file), name));
    expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
    expect(log.gone()?.message).toContain(`${name} was cut`);
    log.close();
    const left = name === "log.db" ? Buffer.alloc(0) : before;
    expect(readFileSync(log.file).equals(left)).toBe(true);
  },
);

test("a log that a shorter copy is copied over takes nothing more", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  taken(log.maintenance.reclaimSpace());
  const copy = readFileSync(log.file);
  fill(log, alpha, 1000);
  taken(log.maintenance.reclaimSpace());
  fill(log, alpha, 1);
  writeFileSync(log.file, copy);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
});

test("a log that grows, is purged and is taken back by others is never taken for one that was cut", () => {
  const log = temporaryLog();
  const other = otherConnection(log.file);
  for (let round = 0; round < 5; round += 1) {
    const name = `${round}bravobravob`;
    fill(log, alpha, 500);
    endedSession(log, name, 2000);
    other.pragma(round % 2 === 0 ? "wal_checkpoint(TRUNCATE)" : "wal_checkpoint(PASSIVE)");
    fill(log, alpha, 1);
    taken(log.maintenance.remove(name));
    fill(log, alpha, 1);
    taken(log.maintenance.reclaimSpace());
    fill(log, alpha, 1);
    expect(log.gone()).toBeUndefined();
  }
});

test("a log whose lock file is gone takes nothing more, since another may have it", () => {
  const lockFile = join(temporaryDirectory(), "lock");
  writeFileSync(lockFile, "");
  const log = temporaryLog({ lockFile });
  fill(log, alpha, 1);
  rmSync(lockFile);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  log.close();
  expect(everything(temporaryLog({ file: log.file }), alpha)).toHaveLength(1);
});

test("a log that comes back to its name is written again", () => {
  const log = logIn(join(temporaryDirectory(), "state"));
  fill(log, alpha, 1);
  renameSync(dirname(log.file), `${dirname(log.file)}.away`);
  expect(codeOf(() => fill(log, alpha, 1))).toBe("gone");
  renameSync(`${dirname(log.file)}.away`, dirname(log.file));
  expect(log.gone()).toBeUndefined();
  fill(log, alpha, 1);
  expect(everything(log, alpha)).toHaveLength(2);
});

test("an empty file where a log was is refused and left as it is", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  log.close();
  truncateSync(log.file);
  expect(codeOf(() => temporaryLog({ file: log.file }))).toBe("empty");
  expect(readFileSync(log.file)).toHaveLength(0);
  rmSync(log.file);
  expect(everything(temporaryLog({ file: log.file }), alpha)).toEqual([]);
});

test("no new log is begun beside the write-ahead log of one that is missing", () => {
  const file = join(temporaryDirectory(), "log.db");
  writeFileSync(`${file}-wal`, "what was said");
  expect(codeOf(() => temporaryLog({ file }))).toBe("gone");
  expect(readFileSync(`${file}-wal`, "utf8")).toBe("what was said");
});
