// SPDX-License-Identifier: MIT OR Apache-2.0
// Opens the database of asks, checks that it is ours, and migrates it to the newest schema.
import Database from "better-sqlite3";
import { notifyArguments } from "../agentd/vocabulary/index.ts";
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

/** UTF-8 bytes of a stored ask. The limits of `notify.ask` allow less than half of it. */
const askBytesMax = 512 * 1024;

/** Throws STORE_REFUSED for a file that belongs to another program or a newer notifyd, is damaged, or cannot be opened. */
export function openDatabase(file: string): Database.Database {
  try {
    const refused = prepareDatabaseFile(file, "notifyd", (temporary) => openAndMigrate(temporary).close());
    if (refused !== undefined) throw new Error(refused.reason);
    const database = openAndMigrate(file);
    const damaged = findDamagedAsk(database);
    if (damaged === undefined) return database;
    database.close();
    throw new Error(`the ask ${damaged} is damaged: put the file back from a copy, or remove it to start over`);
  } catch (cause) {
    throw new NotifydError("STORE_REFUSED", `${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Finds an ask that `notify.ask` would not have taken. Reads one at a time, and none that is too long. */
function findDamagedAsk(database: Database.Database): string | undefined {
  const columns = database.prepare<[], string>("SELECT name FROM pragma_table_info('ask')").pluck().all();
  const bytes = columns.map((column) => `coalesce(octet_length("${column}"), 0)`).join(" + ");
  const long = database.prepare<[], string>(`SELECT substr(ask, 1, 64) FROM ask WHERE ${bytes} > ${askBytesMax}`);
  const found = long.pluck().get();
  if (found !== undefined) return found;
  const rows = database.prepare<[], StoredAsk>(
    `SELECT ask, title, body, options, expires_at, ref, incomplete, coalesce(label, 'none') AS source,
       coalesce("group", 'none') AS "group" FROM ask`,
  );
  for (const row of rows.iterate()) if (!isAsk(row)) return row.ask;
  return undefined;
}

interface StoredAsk {
  readonly ask: string;
  readonly options: string;
  readonly incomplete: number;
}

function isAsk({ ask: _ask, options, incomplete, ...row }: StoredAsk): boolean {
  try {
    const question = { ...row, options: JSON.parse(options) as unknown, incomplete: incomplete === 1 };
    return notifyArguments.ask.safeParse(question).success;
  } catch {
    return false;
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
