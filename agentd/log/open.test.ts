// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { LogError, type LogErrorCode } from "./log-error.ts";
import type { EntryContent, TurnUsage } from "../vocabulary/index.ts";
import { verified } from "./testing/maintained-log.ts";
import { alpha, everything, fill, otherConnection, temporaryDirectory, temporaryLog } from "./testing/temporary-log.ts";

const packaged = fileURLToPath(new URL("../../migrations", import.meta.url));

const packagedNames = readdirSync(packaged)
  .filter((name) => name.endsWith(".sql"))
  .sort();

/** Makes a directory with the packaged migrations and one more. */
function migrationsWith(sql: string): string {
  const directory = path.join(temporaryDirectory(), "migrations");
  mkdirSync(directory);
  const names = readdirSync(packaged).filter((name) => name.endsWith(".sql"));
  for (const name of names) copyFileSync(path.join(packaged, name), path.join(directory, name));
  const next = String(names.length + 1).padStart(4, "0");
  writeFileSync(path.join(directory, `${next}-more.sql`), sql);
  return directory;
}

function refusal(options: Parameters<typeof temporaryLog>[0]): LogErrorCode | undefined {
  try {
    temporaryLog(options);
  } catch (error) {
    if (error instanceof LogError) return error.code;
    throw error;
  }
  return undefined;
}

test("a new log has an id of its own, keeps it, and is readable only by its user", () => {
  const log = temporaryLog();
  expect(log.id).toMatch(/^[a-z2-7]{12}$/);
  fill(log, alpha, 1);
  const modes = readdirSync(path.dirname(log.file)).map((name) => [
    name,
    statSync(path.join(path.dirname(log.file), name)).mode & 0o777,
  ]);
  expect(Object.fromEntries(modes)).toEqual({ "log.db": 0o600, "log.db-wal": 0o600, "log.db-shm": 0o600 });
  expect(temporaryLog({ file: log.file }).id).toBe(log.id);
  expect(temporaryLog().id).not.toBe(log.id);
});

test("opening a log that others can read takes their permission away", () => {
  const { file } = temporaryLog();
  chmodSync(file, 0o644);
  temporaryLog({ file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("the file has the page size, journal mode and auto-vacuum mode that were measured to be best", () => {
  const { file } = temporaryLog();
  const db = otherConnection(file);
  const pragma = (name: string): unknown => db.pragma(name, { simple: true });
  expect([pragma("journal_mode"), pragma("page_size"), pragma("auto_vacuum")]).toEqual(["wal", 8192, 2]);
});

test("a file with another page size keeps it, and is checkpointed after as many bytes", () => {
  const file = path.join(temporaryDirectory(), "log.db");
  const maker = new Database(file);
  for (const pragma of ["page_size = 4096", "auto_vacuum = INCREMENTAL", "journal_mode = WAL"]) maker.pragma(pragma);
  maker.close();
  const old = temporaryLog({ file });
  expect(otherConnection(file).pragma("page_size", { simple: true })).toBe(4096);
  for (const log of [old, temporaryLog()]) {
    fill(log, alpha, 3000, () => "x".repeat(8192));
    expect(statSync(`${log.file}-wal`).size).toBeLessThan(12 * 2 ** 20);
    expect(statSync(log.file).size).toBeGreaterThan(12 * 2 ** 20);
    expect(everything(log, alpha)).toHaveLength(3000);
  }
});

test("a closed log is one file, from which another opener reads every entry", () => {
  const log = temporaryLog();
  fill(log, alpha, 300);
  expect(statSync(`${log.file}-wal`).size).toBeGreaterThan(0);
  expect(log.bytes()).toBe(statSync(log.file).size + statSync(`${log.file}-wal`).size);
  log.close();
  log.close();
  expect(readdirSync(path.dirname(log.file))).toEqual(["log.db"]);
  expect(everything(temporaryLog({ file: log.file }), alpha)).toHaveLength(300);
});

test("the write-ahead log shrinks again after a huge entry", () => {
  const log = temporaryLog();
  fill(log, alpha, 1, () => "x".repeat(40 * 2 ** 20));
  fill(log, alpha, 1);
  fill(log, alpha, 1);
  expect(statSync(`${log.file}-wal`).size).toBeLessThanOrEqual(16 * 2 ** 20);
});

test("a log with a newer schema is refused and left unchanged", () => {
  const log = temporaryLog({ migrations: migrationsWith("CREATE TABLE later (x TEXT) STRICT;") });
  fill(log, alpha, 1);
  log.close();
  const before = readFileSync(log.file);
  expect(refusal({ file: log.file })).toBe("newer_schema");
  expect(readFileSync(log.file).equals(before)).toBe(true);
});

test("a log with an older schema is copied, then migrated, and keeps its entries", () => {
  const log = temporaryLog();
  fill(log, alpha, 3);
  log.close();
  const schema = readdirSync(packaged).filter((name) => name.endsWith(".sql")).length;
  const migrations = migrationsWith("ALTER TABLE session ADD COLUMN colour TEXT;");
  const migrated = temporaryLog({ file: log.file, migrations });
  expect(migrated.id).toBe(log.id);
  fill(migrated, alpha, 1);
  expect(everything(migrated, alpha)).toHaveLength(4);
  const copy = `${log.file}.schema-${schema}`;
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(existsSync(`${copy}.partial`)).toBe(false);
  expect(everything(temporaryLog({ file: copy }), alpha)).toHaveLength(3);
});

test.each(packagedNames.map((_, index) => index + 1).slice(0, -1))(
  "a log of schema %i is migrated to the schema of a new log, and keeps its content",
  (schema) => {
    const file = path.join(temporaryDirectory(), "log.db");
    // Written under the triggers of that schema, as an agentd of that time did.
    const db = new Database(file);
    for (const name of packagedNames.slice(0, schema)) db.exec(readFileSync(path.join(packaged, name), "utf8"));
    db.pragma(`user_version = ${schema}`);
    const open = '{"turns":[],"requests":[],"tools":[],"commands":[]}';
    db.exec(`
      INSERT INTO meta VALUES (1, 'aaaaaaaaaaaa', zeroblob(32), '2026-01-01T00:00:00.000Z');
      INSERT INTO session (sid, id, state, created_at, updated_at, latest, open) VALUES
        (1, 'instance', NULL, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '{"info":{},"chosen":{}}', '${open}'),
        (2, '${alpha}', 'failed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '{"info":{},"chosen":{}}', '${open}');
      INSERT INTO receipt VALUES (1, 'start', 'agent.session.start', zeroblob(32), (2 << 30) + 1, 0, '{}');`);
    db.close();
    const log = temporaryLog({ file });
    fill(log, alpha, 3);
    expect(everything(log, alpha)).toHaveLength(3);
    expect(log.sessions.list({ state: ["failed"] })).toMatchObject({ sessions: [{ session: alpha }] });
    expect(log.receipts.find("instance", "start")?.session).toBe(alpha);
    const schemaOf = (of: string): unknown =>
      otherConnection(of).prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
    expect(schemaOf(file)).toEqual(schemaOf(temporaryLog().file));
    expect(existsSync(`${file}.schema-${schema}`)).toBe(true);
  },
);

test("a log of the version without usage is migrated: its turns are not counted, those that follow are", async () => {
  const before = temporaryLog();
  const ended = (turn: number, usage: TurnUsage): EntryContent => ({ kind: "turn", turn, phase: "ended", usage });
  // As agentd logged it then: the agent's object as it came, which may have the names that agentd counts now.
  const old = [{ totalTokens: 5 }, { total_tokens: 9, cost: { amount: 3, currency: "USD" } }];
  const entries = old.map((usage, index) => ended(index - 1, usage as TurnUsage));
  before.append([{ session: alpha, expectSeq: 0, entries }]);
  before.close();
  const db = new Database(before.file);
  db.exec("ALTER TABLE session DROP COLUMN usage; ALTER TABLE session DROP COLUMN forgotten");
  db.pragma("user_version = 3");
  db.close();
  const log = temporaryLog({ file: before.file });
  expect(log.sessions.row(alpha)).toMatchObject({ last_seq: 2, usage: null });
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
  log.append([
    { session: alpha, expectSeq: 2, entries: [ended(2, { total_tokens: 7 }), ended(3, { total_tokens: 1 })] },
  ]);
  expect(log.sessions.row(alpha)?.usage).toEqual({ turns: 2, total_tokens: 8 });
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
});

test("a failed migration leaves the log unchanged, and the older agentd can use it", () => {
  const log = temporaryLog();
  fill(log, alpha, 2);
  log.close();
  const migrations = migrationsWith("CREATE TABLE half (x TEXT) STRICT; INSERT INTO nowhere VALUES (1);");
  expect(() => temporaryLog({ file: log.file, migrations })).toThrow("nowhere");
  const again = temporaryLog({ file: log.file });
  fill(again, alpha, 1);
  expect(everything(again, alpha)).toHaveLength(3);
  expect(otherConnection(log.file).prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").get()).toBeUndefined();
});

test("migrations that are not numbered without gaps are a plain error", () => {
  const directory = migrationsWith("");
  writeFileSync(path.join(directory, "0099-far.sql"), "");
  expect(() => temporaryLog({ migrations: directory })).toThrow("0099-far.sql");
});

test("another program's database is refused and left unchanged", () => {
  const file = path.join(temporaryDirectory(), "log.db");
  const db = new Database(file);
  db.exec("CREATE TABLE theirs (x)");
  db.close();
  const before = readFileSync(file);
  expect(refusal({ file })).toBe("not_a_log");
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a file that is not a database is refused", () => {
  const file = path.join(temporaryDirectory(), "log.db");
  writeFileSync(
    file,
    "This is a letter to someone, and long enough to be looked at as the head of a database.\n".repeat(10),
  );
  expect(refusal({ file })).toBe("not_a_log");
});

test("a symbolic link and a directory are refused", () => {
  const directory = temporaryDirectory();
  const link = path.join(directory, "link.db");
  symlinkSync(temporaryLog().file, link);
  expect(refusal({ file: link })).toBe("foreign_file");
  expect(refusal({ file: directory })).toBe("foreign_file");
});

test("a missing directory is a LogError with its cause", () => {
  expect(refusal({ file: path.join(temporaryDirectory(), "no", "log.db") })).toBe("cannot_open");
});

test.runIf(process.getuid?.() === 0)("a log of another user is refused", () => {
  const { file } = temporaryLog();
  chownSync(file, 65534, 65534);
  expect(refusal({ file })).toBe("foreign_file");
});

test("reading a damaged page gives `corrupt`, and the rest of the log can still be read", () => {
  const log = temporaryLog();
  fill(log, alpha, 2000, () => "x".repeat(500));
  log.close();
  const bytes = readFileSync(log.file);
  const middle = Math.floor(bytes.length / 8192 / 2) * 8192;
  writeFileSync(
    log.file,
    Buffer.concat([bytes.subarray(0, middle), Buffer.alloc(8192, 0xff), bytes.subarray(middle + 8192)]),
  );
  const damaged = temporaryLog({ file: log.file });
  expect(() => everything(damaged, alpha)).toThrow(expect.objectContaining({ code: "corrupt" }));
  expect(damaged.entries.body(alpha, 2000)).toContain('"seq":2000');
});
