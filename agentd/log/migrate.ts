// SPDX-License-Identifier: MIT OR Apache-2.0
// Brings a log file to the schema of this agentd: numbered SQL files, forward only, each in a transaction of its own.
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import { syncFile } from "../../files/make-whole.ts";
import { LogError } from "./log-error.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** `NNNN-name.sql`, from 0001 without a gap. */
export function readMigrations(directory: string): readonly Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  if (names.length === 0) throw new Error(`no migrations in ${directory}`);
  return names.map((name, index) => {
    const version = Number(/^([0-9]{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1]);
    if (version !== index + 1)
      throw new Error(`migration ${name} in ${directory} is not the one numbered ${index + 1}`);
    return { version, name, sql: readFileSync(path.join(directory, name), "utf8") };
  });
}

/** Throws LogError `newer_schema` or `not_a_log`; changes nothing. Returns the file's schema, 0 where nothing is yet. */
export function checkSchema(db: Database.Database, file: string, migrations: readonly Migration[]): number {
  const version = versionOf(db, file);
  if (version <= migrations.length) return version;
  const message = `${file} has schema ${version}, this agentd knows ${migrations.length}: start a newer agentd`;
  throw new LogError("newer_schema", message);
}

/**
 * Brings the file to the newest schema. A log that holds something is copied first, to `<file>.schema-<its version>`,
 * which stays: there is no way back but that copy. Throws what `checkSchema` throws, and what SQLite says.
 */
export function migrate(db: Database.Database, file: string, migrations: readonly Migration[]): void {
  const version = checkSchema(db, file, migrations);
  if (version > 0 && version < migrations.length) copyBefore(db, `${file}.schema-${version}`);
  for (const migration of migrations.slice(version)) apply(db, migration);
}

/** The schema of a log; 0 for a file in which nothing is yet. */
function versionOf(db: Database.Database, file: string): number {
  const tables = db.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get();
  if (tables === 0) return 0;
  if (db.pragma("application_id", { simple: true }) !== applicationId) {
    throw new LogError("not_a_log", `${file} is a database of another program`);
  }
  return db.pragma("user_version", { simple: true }) as number;
}

/** `agdl`; the first migration writes it. */
const applicationId = 0x6167646c;

/** Whole or not at all: under another name until it is on disk. It holds what the log holds, so no one else reads it. */
function copyBefore(db: Database.Database, copy: string): void {
  const partial = `${copy}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, "wx", 0o600));
  db.prepare("VACUUM INTO ?").run(partial);
  chmodSync(partial, 0o600);
  syncFile(partial);
  renameSync(partial, copy);
  syncFile(path.dirname(copy));
}

function apply(db: Database.Database, { version, sql }: Migration): void {
  db.transaction(() => {
    // Another process may have done it while this one waited.
    if ((db.pragma("user_version", { simple: true }) as number) >= version) return;
    db.exec(sql);
    db.pragma(`user_version = ${version}`);
  }).immediate();
}
