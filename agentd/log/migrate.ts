// SPDX-License-Identifier: MIT OR Apache-2.0
// Migrates a log file to the schema of this agentd with numbered SQL files, forward only, each in its own transaction.
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import { syncFile } from "../../files/create-atomically.ts";
import { LogError } from "./log-error.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Reads the files `NNNN-name.sql`, numbered from 0001 without gaps. */
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

/** Returns the file's schema version, 0 for an empty file. Throws LogError `newer_schema` or `not_a_log`. Changes nothing. */
export function checkSchema(db: Database.Database, file: string, migrations: readonly Migration[]): number {
  const version = versionOf(db, file);
  if (version <= migrations.length) return version;
  const message = `${file} has schema ${version}, this agentd knows up to ${migrations.length}; start a newer agentd`;
  throw new LogError("newer_schema", message);
}

/**
 * Migrates the file to the newest schema. First copies a log that has content to `<file>.schema-<its version>` and leaves
 * the copy, which is the only way back. Throws what `checkSchema` throws, and errors of SQLite.
 */
export function migrate(db: Database.Database, file: string, migrations: readonly Migration[]): void {
  const version = checkSchema(db, file, migrations);
  if (version > 0 && version < migrations.length) copyBefore(db, `${file}.schema-${version}`);
  for (const migration of migrations.slice(version)) apply(db, migration);
}

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

/** Renames the copy into place once it is on disk. Its mode is 0600, as the log's. */
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
    // Another process may have applied it while this one waited for the lock.
    if ((db.pragma("user_version", { simple: true }) as number) >= version) return;
    db.exec(sql);
    db.pragma(`user_version = ${version}`);
  }).immediate();
}
