// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { takeFileLock } from "./file-lock.ts";

test.each(["DELETE", "WAL"])("a lock on a file in %s mode excludes others, and writes nothing beside it", (mode) => {
  const directory = mkdtempSync(join(tmpdir(), "agentd-file-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "lock");
  const earlier = new Database(file);
  earlier.pragma(`journal_mode = ${mode}`);
  earlier.close();
  const held = takeFileLock(file, 0);
  expect(held).toBeDefined();
  expect(readdirSync(directory)).toEqual(["lock"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(takeFileLock(file, 0)).toBeUndefined();
  held?.close();
  const next = takeFileLock(file, 0);
  expect(next).toBeDefined();
  next?.close();
});
