// SPDX-License-Identifier: MIT OR Apache-2.0
// The log: one SQLite file. Every acting command and every update is in it before it is run or published.
import Database from "better-sqlite3";
import { prepareDatabaseFile } from "../../files/database-file.ts";
import { findAbove } from "../../files/upwards.ts";
import { randomId } from "../random-id.ts";
import { instanceSession } from "../vocabulary/index.ts";
import { type Append, appender } from "./append.ts";
import { type MaintenanceTasks, maintenanceTasks } from "./maintenance.ts";
import { logFiles } from "./log-files.ts";
import { LogError, wrapStoreErrors } from "./log-error.ts";
import { checkSchema, migrate, type Migration, readMigrations } from "./migrate.ts";
import { type ProcessRecords, processRecords } from "./processes.ts";
import { newRow } from "./project.ts";
import { type EntryReader, entryReader } from "./read.ts";
import { type ReceiptReader, receiptReader } from "./receipts.ts";
import { sessionTable } from "./session-table.ts";
import { type SessionReader, sessionReader } from "./sessions.ts";
import { fileBytes } from "./space.ts";

export interface LogOptions {
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Cryptographically random bytes, such as node:crypto's randomBytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** The lock file that is held while the log is open. Nothing is appended once it is removed or replaced. */
  readonly lockFile?: string;
  /** Directory of the migrations; by default, the packaged one. */
  readonly migrations?: string;
  /** Maximum size of the file in pages; by default unlimited. */
  readonly pageCountMax?: number;
  /** For tests of a death between writing and committing. */
  readonly beforeCommit?: () => void;
}

export interface Log {
  /** Identity of the log file, created with it: 12 characters of a-z and 2-7. */
  readonly id: string;
  readonly file: string;
  readonly append: Append;
  readonly entries: EntryReader;
  readonly sessions: SessionReader;
  readonly receipts: ReceiptReader;
  readonly processes: ProcessRecords;
  readonly maintenance: MaintenanceTasks;
  /** Returns the JSON of the MCP servers of the session's start, with their secret values. */
  literals(session: string): string | undefined;
  /** Returns the size on disk, including the write-ahead log. */
  bytes(): number;
  /** Returns an error while the log's files are removed or replaced. Nothing is appended then. */
  gone(): LogError | undefined;
  /** Moves the write-ahead log into the file and closes it. Touches nothing if the files were replaced. */
  close(): void;
}

/**
 * Opens or creates the log, with mode 0600, and migrates it to the newest schema. Throws LogError; with `newer_schema`,
 * `not_a_log`, `empty` and `foreign_file` the file is untouched.
 */
export function openLog(options: LogOptions): Log {
  const { file } = options;
  const migrations = readMigrations(options.migrations ?? packagedMigrations());
  return wrapStoreErrors(file, () => {
    const refused = prepareDatabaseFile(file, "agentd", (temporary) => {
      openDatabase(temporary, options, migrations).close();
    });
    if (refused !== undefined) throw new LogError(refused.problem, `${file} ${refused.reason}`);
    const db = openDatabase(file, options, migrations);
    try {
      return createLog(db, options);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function openDatabase(file: string, options: LogOptions, migrations: readonly Migration[]): Database.Database {
  const db = new Database(file, { timeout: busyTimeoutMs });
  try {
    checkSchema(db, file, migrations);
    configure(db, options.pageCountMax);
    migrate(db, file, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Short, since waiting for another process's lock blocks the event loop. agentd is the only writer. */
const busyTimeoutMs = 250;

function packagedMigrations(): string {
  const found = findAbove(import.meta.url, "migrations");
  if (found === undefined) throw new Error("no migrations above this program");
  return found;
}

/** Sets the pragmas of the connection. `page_size` and `auto_vacuum` have an effect only on an empty file. */
function configure(db: Database.Database, pageCountMax: number | undefined): void {
  for (const pragma of [
    `page_size = ${pageBytes}`,
    "auto_vacuum = INCREMENTAL",
    "journal_mode = WAL",
    // A commit is on disk before it is run or published. Since a commit is a batch, that costs little.
    "synchronous = FULL",
    `cache_size = -${cacheKibibytes}`,
    // A huge entry must not leave a huge write-ahead log behind.
    `journal_size_limit = ${walBytesMax}`,
    "recursive_triggers = ON",
    "foreign_keys = ON",
    // Purge and redaction must overwrite what they remove.
    "secure_delete = ON",
    "trusted_schema = OFF",
  ]) {
    db.pragma(pragma);
  }
  // The pragma counts pages, and an older file may have another page size.
  const actualPageBytes = db.pragma("page_size", { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${Math.ceil(walCheckpointBytes / actualPageBytes)}`);
  if (pageCountMax !== undefined) db.pragma(`max_page_count = ${pageCountMax}`);
}

/**
 * An entry with a diff of 8 KB takes one overflow page, and two with pages of 4 KiB, which doubles the writes to the
 * write-ahead log and those of a checkpoint. Larger pages make each small commit write more.
 */
const pageBytes = 8192;

/** SQLite's page cache. Readers mostly want the latest pages, and the system caches the rest of the file too. */
const cacheKibibytes = 4096;

/** A checkpoint of this size delays the commit that runs it by some milliseconds. */
const walCheckpointBytes = 8 * 1024 * 1024;

const walBytesMax = 16 * 1024 * 1024;

function createLog(db: Database.Database, options: LogOptions): Log {
  const { file } = options;
  const { log, hash_key } = readIdentity(db, options);
  const files = logFiles(db, file, options.lockFile);
  const literals = db
    .prepare<[string], string>("SELECT servers FROM literal JOIN session USING (sid) WHERE id = ?")
    .pluck();
  return {
    id: log,
    file,
    append: appender({ ...options, db, file, log, files }),
    entries: entryReader(db, file, log),
    sessions: sessionReader(db, file),
    receipts: receiptReader(db, file, hash_key),
    processes: processRecords(db, file),
    maintenance: maintenanceTasks(db, file, log, options.clock),
    literals: (session) => wrapStoreErrors(file, () => literals.get(session)),
    bytes: () => fileBytes(file) + fileBytes(`${file}-wal`),
    gone: () => files.gone(),
    close: () => {
      // SQLite would remove the write-ahead log by its name, which may belong to another log now.
      if (!db.open || files.areReplaced()) return;
      wrapStoreErrors(file, () => {
        try {
          db.pragma("wal_checkpoint(TRUNCATE)");
        } finally {
          db.close();
        }
      });
    },
  };
}

interface Identity {
  readonly log: string;
  readonly hash_key: Buffer;
}

/** Reads the log's identity. The first opener writes it, together with the session `instance`. */
function readIdentity(db: Database.Database, { clock, random }: LogOptions): Identity {
  const find = db.prepare<[], Identity>("SELECT log, hash_key FROM meta");
  const found = find.get();
  if (found) return found;
  return db
    .transaction(() => {
      const already = find.get();
      if (already) return already;
      const at = new Date(clock.now()).toISOString();
      const made = { log: randomId(random), hash_key: Buffer.from(random(hashKeyBytes)) };
      db.prepare("INSERT INTO meta (only, log, hash_key, created_at) VALUES (1, ?, ?, ?)").run(
        made.log,
        made.hash_key,
        at,
      );
      sessionTable(db).insert(newRow(instanceSession, at));
      return made;
    })
    .immediate();
}

const hashKeyBytes = 32;
