// SPDX-License-Identifier: MIT OR Apache-2.0
// A log whose files are removed or replaced under a daemon that has them open.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "./open.ts";
import { alpha, codeOf, everything, fill, temporaryDirectory, temporaryLog } from "./testing/temporary-log.ts";

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
