// SPDX-License-Identifier: MIT OR Apache-2.0
// Attacks on the file by another program, whose connection does not set our pragmas.
import type Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { Log } from "./open.ts";
import { alpha, bravo, everything, fill, message, otherConnection, temporaryLog } from "./testing/temporary-log.ts";

function attacked(): { log: Log; db: Database.Database; base: number; sid: number } {
  const log = temporaryLog();
  fill(log, bravo, 2);
  fill(log, alpha, 3);
  fill(log, alpha, 2);
  const hash = log.receipts.hash("agent.session.prompt", {});
  log.append([
    {
      session: alpha,
      expectSeq: 5,
      entries: [message("six")],
      receipts: [
        { scope: alpha, commandId: "open", verb: "agent.session.set_config", hash, seq: 6 },
        {
          scope: alpha,
          commandId: "done",
          verb: "agent.session.prompt",
          hash,
          seq: 6,
          answer: { rc: 0, body: '{"turn":1}' },
        },
      ],
    },
  ]);
  const db = otherConnection(log.file);
  const sid = db.prepare("SELECT sid FROM session WHERE id = ?").pluck().get(alpha) as number;
  return { log, db, sid, base: sid * 2 ** 30 };
}

test.each([
  "INSERT INTO entry VALUES (:base + 8, 5, NULL, '{}')",
  "INSERT INTO entry VALUES (:base + 6, 5, NULL, '{}')",
  "INSERT INTO entry VALUES (:base + 1, 5, NULL, '{}')",
  "INSERT INTO entry VALUES (:base, 5, NULL, '{}')",
  "INSERT INTO entry VALUES (NULL, 5, NULL, '{}')",
  "INSERT INTO entry VALUES (-5, 5, NULL, '{}')",
  "INSERT INTO entry VALUES ((77 << 30) + 1, 5, NULL, '{}')",
  "INSERT OR REPLACE INTO entry VALUES (:base + 6, 5, NULL, '{}')",
  "INSERT OR REPLACE INTO entry VALUES (:base + 2, 5, NULL, '{}')",
  "INSERT OR IGNORE INTO entry VALUES (:base + 9, 5, NULL, '{}')",
  "REPLACE INTO entry SELECT id, kind, turn, 'gone' FROM entry",
  "INSERT INTO entry VALUES (:base + 2, 5, NULL, '{}') ON CONFLICT (id) DO UPDATE SET body = 'gone'",
  "UPDATE entry SET body = 'gone' WHERE id = :base + 2",
  "UPDATE OR REPLACE entry SET id = :base + 3 WHERE id = :base + 2",
  "UPDATE entry SET kind = 4",
  "DELETE FROM entry WHERE id = :base + 1",
  "DELETE FROM entry",
])("an entry can only be appended to its session, never changed or removed: %s", (sql) => {
  const { log, db, base } = attacked();
  const before = [everything(log, alpha), everything(log, bravo)];
  expect(() => db.prepare(sql).run({ base })).toThrow("append-only");
  expect([everything(log, alpha), everything(log, bravo)]).toEqual(before);
  fill(log, alpha, 1);
});

test.each([
  "UPDATE seal SET digest = zeroblob(32)",
  "UPDATE seal SET salt = NULL",
  "UPDATE seal SET first = first + 1",
  "DELETE FROM seal",
  "INSERT OR REPLACE INTO seal SELECT first, last, salt, zeroblob(32), NULL FROM seal",
  "INSERT INTO seal VALUES (:base + 7, :base + 7, zeroblob(16), zeroblob(32), NULL)",
  "INSERT INTO seal VALUES (:base + 2, :base + 6, zeroblob(16), zeroblob(32), NULL)",
  "INSERT INTO tombstone VALUES (:sid, 4, 4, zeroblob(32), '')",
  "INSERT INTO tombstone SELECT :sid, 4, 4, digest, '' FROM seal WHERE last = :base + 5",
  "INSERT INTO tombstone VALUES (:sid, 3, 3, zeroblob(32), '')",
  "DELETE FROM receipt",
  "UPDATE receipt SET body = '{}' WHERE command_id = 'done'",
  "UPDATE receipt SET rc = 10 WHERE command_id = 'done'",
  "UPDATE receipt SET verb = 'agent.session.close', rc = 0, body = '' WHERE command_id = 'open'",
  "UPDATE OR REPLACE receipt SET command_id = 'done' WHERE command_id = 'open'",
  "UPDATE receipt SET hash = zeroblob(32), rc = 0, body = '' WHERE command_id = 'open'",
  "UPDATE receipt SET entry = entry - 1, rc = 0, body = '' WHERE command_id = 'open'",
  "INSERT OR REPLACE INTO receipt SELECT sid, command_id, verb, hash, entry, 0, '{}' FROM receipt WHERE command_id = 'done'",
])("seals and receipts cannot be changed or removed: %s", (sql) => {
  const { log, db, base, sid } = attacked();
  const before = db.prepare("SELECT * FROM seal").all();
  const receipt = log.receipts.find(alpha, "done");
  expect(() => db.prepare(sql).run(named(sql, { base, sid }))).toThrow("append-only");
  expect(db.prepare("SELECT * FROM seal").all()).toEqual(before);
  expect(log.receipts.find(alpha, "done")).toEqual(receipt);
  fill(log, alpha, 1);
});

test.each([
  "UPDATE meta SET log = 'aaaaaaaaaaaa'",
  "DELETE FROM meta",
  "INSERT OR REPLACE INTO meta SELECT only, 'aaaaaaaaaaaa', hash_key, created_at FROM meta",
  "DELETE FROM session WHERE sid = :sid",
  "INSERT OR REPLACE INTO session (sid, id, created_at, updated_at, latest, open) VALUES (:sid, 'other', '', '', '', '')",
  "INSERT OR REPLACE INTO session (id, created_at, updated_at, latest, open) SELECT id, '', '', '', '' FROM session WHERE sid = :sid",
  "INSERT INTO session (id, last_seq, created_at, updated_at, latest, open) VALUES ('other', 7, '', '', '', '')",
  "UPDATE session SET sid = 99 WHERE sid = :sid",
  "UPDATE OR REPLACE session SET id = 'instance' WHERE sid = :sid",
  "UPDATE session SET last_seq = 5 WHERE sid = :sid",
  "UPDATE session SET last_seq = 7 WHERE sid = :sid",
])("the identity of the log and of its sessions cannot be changed: %s", (sql) => {
  const { log, db, sid } = attacked();
  const before = [db.prepare("SELECT * FROM meta").all(), db.prepare("SELECT * FROM session").all()];
  expect(() => db.prepare(sql).run(named(sql, { sid }))).toThrow(
    /written once|keeps its identity|made once|never removed|last_seq is/,
  );
  expect([db.prepare("SELECT * FROM meta").all(), db.prepare("SELECT * FROM session").all()]).toEqual(before);
  fill(log, alpha, 1);
});

test("a new seal must have a salt of 16 bytes, and must not be marked as redacted", () => {
  const { db, base } = attacked();
  db.exec("BEGIN");
  db.prepare("INSERT INTO entry VALUES (?, 5, NULL, '{}')").run(base + 7);
  const seal = db.prepare("INSERT INTO seal VALUES (:id, :id, :salt, zeroblob(32), :by)");
  for (const [salt, by] of [
    [null, null],
    [Buffer.alloc(15), null],
    [Buffer.alloc(16), base + 1],
  ]) {
    expect(() => seal.run({ id: base + 7, salt, by })).toThrow("append-only");
  }
  seal.run({ id: base + 7, salt: Buffer.alloc(16), by: null });
  db.exec("ROLLBACK");
});

test("a permit allows the same transaction to redact one entry, once its seal has lost its salt", () => {
  const { log, db, base, sid } = attacked();
  const by = base + 6;
  const change = (seq: number) => db.prepare("UPDATE entry SET body = 'redacted' WHERE id = ?").run(base + seq);
  db.exec("BEGIN");
  db.prepare("INSERT INTO permit (purpose, sid, seq, by_entry) VALUES ('redact', ?, 2, ?)").run(sid, by);
  expect(() => change(2)).toThrow("append-only");
  const drop = db.prepare("UPDATE seal SET salt = NULL, redacted_by = ? WHERE first = ?");
  expect(() => drop.run(by, base + 4)).toThrow("append-only");
  expect(() => drop.run(null, base + 1)).toThrow("append-only");
  expect(() => drop.run(base + 5, base + 1)).toThrow("append-only");
  const resalt = db.prepare("UPDATE seal SET salt = zeroblob(16), redacted_by = ? WHERE first = ?");
  expect(() => resalt.run(by, base + 1)).toThrow("append-only");
  drop.run(by, base + 1);
  expect(() => resalt.run(by, base + 1)).toThrow("append-only");
  expect(() => change(1)).toThrow("append-only");
  expect(() => db.prepare("UPDATE entry SET kind = 1, body = '' WHERE id = ?").run(base + 2)).toThrow("append-only");
  expect(() => db.prepare("UPDATE receipt SET body = '' WHERE command_id = 'done'").run()).toThrow("append-only");
  change(2);
  db.exec("DELETE FROM permit; COMMIT");
  expect(log.entries.body(alpha, 2)).toBe("redacted");
  expect(() => change(2)).toThrow("append-only");
});

test("a transaction that leaves a permit behind is rolled back", () => {
  const { log, db, sid } = attacked();
  db.pragma("foreign_keys = ON");
  db.exec("BEGIN");
  db.prepare("INSERT INTO permit (purpose, sid) VALUES ('purge', ?)").run(sid);
  expect(() => db.exec("COMMIT")).toThrow("FOREIGN KEY");
  db.exec("ROLLBACK");
  fill(log, alpha, 1);
});

test("a purge removes entries from the first to its tombstone, and the session continues with the next seq", () => {
  const { log, db, base, sid } = attacked();
  const permitted = (act: () => void) => {
    db.exec("BEGIN");
    db.prepare("INSERT INTO permit (purpose, sid) VALUES ('purge', ?)").run(sid);
    act();
    db.exec("DELETE FROM permit; COMMIT");
  };
  const remove = (from: number, to: number) =>
    db.prepare("DELETE FROM entry WHERE id BETWEEN ? AND ?").run(base + from, base + to);
  const removeSeals = (from: number, to: number) =>
    db.prepare("DELETE FROM seal WHERE first >= ? AND last <= ?").run(base + from, base + to);
  permitted(() => {
    expect(() => remove(1, 1)).toThrow("append-only");
    expect(() => removeSeals(1, 3)).toThrow("append-only");
  });
  db.prepare("INSERT INTO tombstone SELECT :sid, 6, 6, digest, '' FROM seal WHERE last = :last").run({
    sid,
    last: base + 6,
  });
  expect(() => remove(1, 1)).toThrow("append-only");
  expect(() => db.exec("UPDATE tombstone SET entries = 1")).toThrow("append-only");
  expect(() => db.exec("DELETE FROM tombstone")).toThrow("append-only");
  fill(log, alpha, 1);
  permitted(() => {
    expect(() => remove(2, 6)).toThrow("append-only");
    expect(() => remove(1, 7)).toThrow("append-only");
    remove(1, 4);
  });
  fill(log, alpha, 1);
  permitted(() => {
    remove(5, 6);
    expect(() => removeSeals(4, 5)).toThrow("append-only");
    removeSeals(1, 6);
    expect(() => removeSeals(7, 7)).toThrow("append-only");
    db.exec("UPDATE receipt SET body = '' WHERE command_id = 'done'");
    expect(() => db.exec("UPDATE receipt SET body = 'longer' WHERE command_id = 'done'")).toThrow("append-only");
  });
  fill(log, alpha, 1);
  expect(everything(log, alpha).map((entry) => entry["seq"])).toEqual([7, 8, 9]);
  expect(log.receipts.find(alpha, "done")?.answer).toEqual({ rc: 0, body: "" });
});

test("a session that was purged completely continues after the tombstone, not at 1", () => {
  const { log, db, base, sid } = attacked();
  db.prepare("INSERT INTO tombstone SELECT :sid, 6, 6, digest, '' FROM seal WHERE last = :last").run({
    sid,
    last: base + 6,
  });
  db.exec("BEGIN");
  db.prepare("INSERT INTO permit (purpose, sid) VALUES ('purge', ?)").run(sid);
  db.prepare("DELETE FROM entry WHERE id > ? AND id <= ?").run(base, base + 6);
  db.prepare("DELETE FROM seal WHERE first > ? AND first <= ?").run(base, base + 6);
  db.exec("DELETE FROM permit; COMMIT");
  expect(() => db.prepare("INSERT INTO entry VALUES (?, 5, NULL, '{}')").run(base + 1)).toThrow("append-only");
  fill(log, alpha, 2);
  expect(everything(log, alpha).map((entry) => entry["seq"])).toEqual([7, 8]);
});

/** Omits unused parameters, which the driver refuses. */
function named(sql: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`:${name}`)));
}
