// SPDX-License-Identifier: MIT OR Apache-2.0
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { LogError, toLogError, wrapStoreErrors } from "./log-error.ts";

test.each([
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR_FSYNC", "io"],
  ["SQLITE_IOERR_WRITE", "io"],
  ["SQLITE_BUSY_SNAPSHOT", "busy"],
  ["SQLITE_READONLY_DIRECTORY", "read_only"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_CORRUPT_VTAB", "corrupt"],
  ["SQLITE_NOTADB", "not_a_log"],
])("SQLite's %s is `%s`", (code, meaning) => {
  const cause = new Database.SqliteError("it went wrong", code);
  expect(toLogError("/x/log.db", cause)).toMatchObject({ name: "LogError", code: meaning, cause });
});

test.each([
  ["ENOSPC", "full"],
  ["EIO", "io"],
  ["EROFS", "read_only"],
  ["EACCES", "cannot_open"],
])("the system's %s is `%s`", (code, meaning) => {
  expect(toLogError("/x/log.db", Object.assign(new Error("it went wrong"), { code }))).toMatchObject({ code: meaning });
});

test("an error that is not of the store is rethrown unchanged", () => {
  const broken = new Database.SqliteError("append-only", "SQLITE_CONSTRAINT_TRIGGER");
  const others = [broken, new TypeError("x"), new LogError("newer_schema", "x"), undefined, "text"];
  for (const error of others) expect(toLogError("/x/log.db", error)).toBe(error);
  expect(() =>
    wrapStoreErrors("/x/log.db", () => {
      throw broken;
    }),
  ).toThrow(broken);
});
