// SPDX-License-Identifier: MIT OR Apache-2.0
// The log: one SQLite file, in which every acting command and every update stands before it is run or published.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { prepareDatabaseFile } from "../../files/database-file.ts";
import { upwards } from "../../files/upwards.ts";
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
  /** Unguessable bytes: node:crypto's randomBytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Which is held as long as the log is open: nothing is appended where it is no longer in its place. */
  readonly lockFile?: string;
  /** A directory; without it, the one that comes with the package. */
  readonly migrations?: string;
  /** How far the file may grow, in pages; without it, as far as the disk goes. */
  readonly pageCountMax?: number;
  /** For tests of a death between writing and committing. */
  readonly beforeCommit?: () => void;
}

export interface Log {
  /** Identity of the log file, made with it: 12 characters of a-z and 2-7. */
  readonly id: string;
  readonly file: string;
  readonly append: Append;
  readonly entries: EntryReader;
  readonly sessions: SessionReader;
  readonly receipts: ReceiptReader;
  readonly processes: ProcessRecords;
  readonly maintenance: MaintenanceTasks;
  /** JSON of the secret literals that came with a start of the session. */
  literals(session: string): string | undefined;
  /** What it takes on disk, the write-ahead log with it. */
  bytes(): number;
  /** That its files were removed or replaced, as a look at them now tells. Nothing is appended while that is so. */
  gone(): LogError | undefined;
  /** Leaves one file, without a write-ahead log, unless its files were replaced: then nothing is touched. */
  close(): void;
}

/**
 * Opens the log or makes it, with the mode 0600, and brings it to the newest schema. Throws LogError; `newer_schema`,
 * `not_a_log`, `empty` and `foreign_file` leave the file untouched.
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
      return opened(db, options);
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

/** Waiting for another process's lock blocks the event loop: not for long. There is one writer, whoever else looks in. */
const busyTimeoutMs = 250;

/** Beside what is built, as a tree or as a bundle, or beside the source. */
function packagedMigrations(): string {
  for (const directory of upwards(path.dirname(fileURLToPath(import.meta.url)))) {
    const found = path.join(directory, "migrations");
    if (existsSync(found)) return found;
  }
  throw new Error("no migrations above this program");
}

/** On every connection; the page size and auto_vacuum count in a file that holds nothing yet. */
function configure(db: Database.Database, pageCountMax: number | undefined): void {
  for (const pragma of [
    `page_size = ${pageBytes}`,
    "auto_vacuum = INCREMENTAL",
    "journal_mode = WAL",
    // On disk before it is run or published: group commit makes that nearly free.
    "synchronous = FULL",
    `cache_size = -${cacheKibibytes}`,
    // One huge entry must not leave a write-ahead log of its size behind.
    `journal_size_limit = ${walBytesMax}`,
    "recursive_triggers = ON",
    "foreign_keys = ON",
    // What purge and redaction take is overwritten, not merely let go.
    "secure_delete = ON",
    "trusted_schema = OFF",
  ]) {
    db.pragma(pragma);
  }
  // In pages, and a file that was made before has its own.
  const madeWith = db.pragma("page_size", { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${Math.ceil(walCheckpointBytes / madeWith)}`);
  if (pageCountMax !== undefined) db.pragma(`max_page_count = ${pageCountMax}`);
}

/**
 * An entry with a diff of 8 KB takes one page beside its place in the tree, where pages of 4 KiB would take it two: half
 * the writes to the write-ahead log, and half of those that take it back. With larger ones, each small commit writes more.
 */
const pageBytes = 8192;

/** SQLite's own memory of pages. Readers go back to the latest, and the system keeps the rest at hand as well. */
const cacheKibibytes = 4096;

/** What is taken back at once holds the commit that does it up for some milliseconds. */
const walCheckpointBytes = 8 * 1024 * 1024;

const walBytesMax = 16 * 1024 * 1024;

function opened(db: Database.Database, options: LogOptions): Log {
  const { file } = options;
  const { log, hash_key } = identity(db, options);
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
    maintenance: maintenanceTasks({ db, file, log, clock: options.clock }),
    literals: (session) => wrapStoreErrors(file, () => literals.get(session)),
    bytes: () => fileBytes(file) + fileBytes(`${file}-wal`),
    gone: () => files.gone(),
    close: () => {
      // SQLite would remove the write-ahead log by its name, which may be another log's by now.
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

/** Written once, with the session `instance`; whoever opens a new log second finds it written. */
function identity(db: Database.Database, { clock, random }: LogOptions): Identity {
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
