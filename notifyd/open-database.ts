// SPDX-License-Identifier: MIT OR Apache-2.0
// Opens the database of asks, checks that it is ours, and migrates it to the newest schema.
import Database from "better-sqlite3";
import { prepareDatabaseFile } from "../files/database-file.ts";
import { NotifydError } from "./notifyd-error.ts";

/** "ntfy" in ASCII, stored as SQLite's `application_id`. */
const applicationId = 0x6e746679;

/** Schema versions, numbered from 1. A released migration is never edited. */
const migrations: readonly string[] = [
  `
  CREATE TABLE ask (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    ask TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    label TEXT,
    ref TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    options TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    expires_at TEXT,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'withdrawn', 'expired')),
    option TEXT,
    via TEXT,
    answered_by TEXT,
    reason TEXT,
    ended_at TEXT,
    noted INTEGER NOT NULL DEFAULT 0 CHECK (noted IN (0, 1)),
    CHECK ((state = 'open') = (ended_at IS NULL)),
    CHECK ((state = 'answered') = (option IS NOT NULL)),
    CHECK ((state = 'withdrawn') = (reason IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX ask_open ON ask (source, ref) WHERE state = 'open';
  CREATE INDEX ask_ref ON ask (source, ref);
  CREATE INDEX ask_state ON ask (state, n);
  -- What a person said, and what ended, stays as it was.
  CREATE TRIGGER ask_ended BEFORE UPDATE OF state, option, via, answered_by, reason, ended_at ON ask
  WHEN OLD.state <> 'open'
  BEGIN SELECT RAISE(ABORT, 'an ask ends once'); END;
  `,
  `ALTER TABLE ask ADD COLUMN "group" TEXT;`,
  `ALTER TABLE ask ADD COLUMN incomplete INTEGER NOT NULL DEFAULT 0 CHECK (incomplete IN (0, 1));`,
];

/** Throws STORE_REFUSED for a file that belongs to another program or a newer notifyd, is damaged, or cannot be opened. */
export function openDatabase(file: string): Database.Database {
  try {
    const refused = prepareDatabaseFile(file, "notifyd", (temporary) => openAndMigrate(temporary).close());
    if (refused !== undefined) throw new Error(refused.reason);
    return openAndMigrate(file);
  } catch (cause) {
    throw new NotifydError("STORE_REFUSED", `${file}: ${(cause as Error).message}`, { cause });
  }
}

function openAndMigrate(file: string): Database.Database {
  const database = new Database(file, { timeout: 250 });
  try {
    for (const pragma of [
      "journal_mode = WAL",
      // Changes reach the disk before anybody is told about them.
      "synchronous = FULL",
      "secure_delete = ON",
      "journal_size_limit = 4194304",
      "trusted_schema = OFF",
    ]) {
      database.pragma(pragma);
    }
    migrate(database);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function migrate(database: Database.Database): void {
  const tables = database.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get();
  const own = database.pragma("application_id", { simple: true }) === applicationId;
  if (tables !== 0 && !own) throw new Error("the database belongs to another program");
  const version = database.pragma("user_version", { simple: true }) as number;
  if (version > migrations.length)
    throw new Error(`has schema ${version}, but this notifyd supports only ${migrations.length}: upgrade it`);
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    database
      .transaction(() => {
        database.exec(sql);
        database.pragma(`application_id = ${applicationId}`);
        database.pragma(`user_version = ${index + 1}`);
      })
      .immediate();
  }
}
