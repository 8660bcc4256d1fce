// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type Database from "better-sqlite3";
import { expect, test } from "vitest";
import { startIntegrityCheck } from "./integrity-check.ts";
import type { Log } from "./open.ts";
import {
  appendTo,
  answeredCommand,
  startingState,
  closedState,
  endedSession,
  secretOf,
  runToEnd,
  verified,
} from "./testing/maintained-log.ts";
import { alpha, bravo, everything, fill, message, otherConnection, temporaryLog } from "./testing/temporary-log.ts";

/** Changes the file as an attacker does who removes the triggers first. */
function tampering(log: Log): Database.Database {
  const db = otherConnection(log.file);
  const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
  for (const trigger of triggers) db.exec(`DROP TRIGGER ${trigger}`);
  return db;
}

test("a file that SQLite cannot check is a LogError, not a problem of the log", async () => {
  const { problems } = startIntegrityCheck("/nowhere/log.db");
  await expect(problems).rejects.toMatchObject({
    code: "cannot_open",
    message: expect.stringMatching(/could not be checked.*open/u) as string,
  });
});

function twoSessions(): Log {
  const log = temporaryLog();
  endedSession(log, alpha, 5);
  answeredCommand(log, alpha, { scope: "instance", commandId: "c", body: "{}" });
  fill(log, bravo, 700);
  fill(log, "instance", 1);
  return log;
}

test("an unchanged log is verified, with redactions and purges", async () => {
  const log = twoSessions();
  expect(await verified(log)).toEqual({ ok: true, problems: [], sessions: 2, entries: 711, redacted_commits: 0 });
  const by = { session: "instance", seq: 1 };
  runToEnd(log.maintenance.redact(secretOf("message 300"), { by }));
  expect(await verified(log)).toEqual({ ok: true, problems: [], sessions: 2, entries: 711, redacted_commits: 1 });
  runToEnd(log.maintenance.purge(alpha));
  expect(await verified(log)).toEqual({ ok: true, problems: [], sessions: 2, entries: 701, redacted_commits: 1 });
});

const base = 2 * 2 ** 30;

test.each([
  ["UPDATE entry SET body = replace(body, 'message 3', 'message X') WHERE id = :base + 3", "do not match their seal"],
  ["UPDATE entry SET body = '{' WHERE id = :base + 3", "entry 3 cannot be read"],
  [
    "UPDATE entry SET body = replace(body, '\"seq\":3', '\"seq\":4') WHERE id = :base + 3",
    "has the head of another entry",
  ],
  ["UPDATE entry SET kind = 1 WHERE id = :base + 3", "wrong kind or turn"],
  ["UPDATE entry SET turn = 9 WHERE id = :base + 3", "wrong kind or turn"],
  ["DELETE FROM entry WHERE id = :base + 3", "entry 3 is missing"],
  ["DELETE FROM entry WHERE id BETWEEN :base + 3 AND :base + 4", "entries 3 to 4 are missing"],
  ["DELETE FROM entry WHERE id = :base + 10", "its last entry is 9"],
  ["DELETE FROM seal WHERE first = :base + 2", "no seal begins at entry 2"],
  ["UPDATE seal SET digest = zeroblob(32) WHERE first = :base + 2", "do not match their seal"],
  ["UPDATE seal SET salt = zeroblob(16) WHERE first = :base + 2", "entries 2 to 6 do not match their seal"],
  ["UPDATE seal SET salt = NULL WHERE first = :base + 2", "no entry reports a redaction"],
  ["UPDATE seal SET last = last - 1 WHERE first = :base + 2", "no seal begins at entry 6"],
  ["INSERT INTO seal VALUES (:base + 11, :base + 11, zeroblob(16), zeroblob(32), NULL)", "a seal begins at 11"],
  ["UPDATE session SET state = 'lost' WHERE sid = 2", "does not match its entries: state"],
  ["UPDATE session SET last_seq = 9 WHERE sid = 2", "does not match its entries: last_seq"],
  ["UPDATE session SET latest = json_set(latest, '$.info.title', 'x') WHERE sid = 2", "match its entries: latest"],
  ["UPDATE session SET usage = '{\"turns\":1}' WHERE sid = 2", "does not match its entries: usage"],
  ["UPDATE receipt SET entry = :base + 3", "names entry 3"],
  ["UPDATE receipt SET entry = (7 << 30) + 3", "of no session"],
  ["INSERT INTO entry VALUES ((9 << 30) + 1, 5, NULL, '{}')", "belongs to no session"],
  ["INSERT INTO tombstone VALUES (2, 6, 5, zeroblob(32), '')", "counts 5 entries after 0"],
  ["UPDATE session SET sid = 7 WHERE sid = 3", "session number 3 is missing"],
])("a change of the file is reported: %s", async (sql, problem) => {
  const log = twoSessions();
  const db = tampering(log);
  db.pragma("ignore_check_constraints = ON");
  expect(db.prepare(sql).run(...(sql.includes(":base") ? [{ base }] : [])).changes).toBeGreaterThan(0);
  const { ok, problems } = await verified(log);
  expect(ok).toBe(false);
  expect(problems.join("\n")).toContain(problem);
});

test("the usage of a session that went on after a purge is verified as far as its entries are there", async () => {
  const log = temporaryLog();
  const ended = (turn: number) => ({ kind: "turn", turn, phase: "ended", usage: { total_tokens: 5 } }) as const;
  appendTo(log, alpha, startingState, ended(1), closedState);
  runToEnd(log.maintenance.purge(alpha));
  appendTo(log, alpha, startingState, ended(2), ended(3));
  expect(log.sessions.row(alpha)?.usage).toEqual({ turns: 3, total_tokens: 15 });
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
  tampering(log).exec(`UPDATE session SET usage = '{"turns":2,"total_tokens":9}' WHERE id = '${alpha}'`);
  expect((await verified(log)).problems).toEqual([`session ${alpha}: its row does not match its entries: usage`]);
});

test("a redacted commit cannot be checked, but a change after it is still reported", async () => {
  const log = temporaryLog();
  for (const text of ["one", "secret", "three"]) fill(log, alpha, 1, () => text);
  fill(log, "instance", 1);
  runToEnd(log.maintenance.redact(secretOf("secret"), { by: { session: "instance", seq: 1 } }));
  const db = tampering(log);
  db.exec("UPDATE entry SET body = replace(body, '[redacted]', '[reworded]')");
  expect(await verified(log)).toMatchObject({ ok: true, redacted_commits: 1 });
  db.exec("UPDATE seal SET digest = zeroblob(32) WHERE salt IS NULL");
  expect((await verified(log)).problems).toEqual([`session ${alpha}: entries 3 to 3 do not match their seal`]);
});

test("an entry that a purge left is reported, but not while the purge is unfinished", async () => {
  const log = temporaryLog();
  endedSession(log, alpha, 900);
  const body = log.entries.body(alpha, 900);
  log.maintenance.purge(alpha).next();
  expect(await verified(log)).toMatchObject({ ok: true, entries: 0 });
  runToEnd(log.maintenance.finishPurge(alpha));
  const db = tampering(log);
  db.prepare("INSERT INTO entry VALUES (?, 5, NULL, ?)").run(base + 900, body);
  expect((await verified(log)).problems).toEqual([
    `session ${alpha}: entry 900 was not purged, though the tombstone is at 903`,
  ]);
});

test("a session that continued after its purge is verified from there, and a change since is reported", async () => {
  const log = temporaryLog();
  endedSession(log, alpha, 3);
  runToEnd(log.maintenance.purge(alpha));
  appendTo(log, alpha, startingState, { kind: "turn", turn: 4, phase: "started" }, message("hi", { turn: 4 }));
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], entries: 3 });
  tampering(log).exec("UPDATE session SET open = json_set(open, '$.turns', json('[]'))");
  expect((await verified(log)).problems).toContain(`session ${alpha}: its row does not match its entries: open`);
});

test("a purge command in the purged session's own log stays open until its reply after the tombstone", async () => {
  const log = temporaryLog();
  endedSession(log, alpha, 3);
  const verb = "agent.session.purge";
  const seq = appendTo(log, alpha, { kind: "command", verb, by: null, origin: "local", args: {} });
  expect(runToEnd(log.maintenance.purge(alpha)).entries).toBe(seq);
  expect(log.sessions.row(alpha)?.open.commands).toEqual([{ seq, verb }]);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], entries: 0 });
  appendTo(log, alpha, { kind: "reply", verb, command_seq: seq, rc: 0, body: { entries: seq } });
  expect(log.sessions.row(alpha)?.open.commands).toEqual([]);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], entries: 1 });
});

test("entries that are appended during a verification are verified too", async () => {
  const log = temporaryLog();
  fill(log, alpha, 1000);
  let pauses = 0;
  const result = await log.maintenance.verify(async () => {
    pauses += 1;
    if (pauses <= 8) fill(log, alpha, 2);
    if (pauses === 2) fill(log, bravo, 1);
    await setImmediate();
  });
  expect(pauses).toBeGreaterThan(4);
  expect(result).toMatchObject({ ok: true, problems: [] });
  expect(result.entries).toBeGreaterThan(1002);
});

test("a pause that rejects ends the verification with that reason, and the log can be closed", async () => {
  const log = twoSessions();
  const stopped = new Error("the daemon stops");
  await expect(log.maintenance.verify(() => Promise.reject(stopped))).rejects.toBe(stopped);
  log.close();
});

test("many problems are listed up to a limit, then counted", async () => {
  const log = temporaryLog();
  for (let index = 0; index < 130; index += 1) fill(log, alpha, 1);
  tampering(log).exec("UPDATE entry SET body = replace(body, 'append', 'APPEND')");
  const { problems } = await verified(log);
  expect(problems).toHaveLength(100);
  expect(problems.at(-1)).toBe("and 31 more");
});

test("a damaged page is reported, and the other sessions are still verified", async () => {
  const log = temporaryLog();
  fill(log, alpha, 2000, () => "x".repeat(500));
  endedSession(log, bravo, 5);
  log.close();
  const bytes = readFileSync(log.file);
  // A page of the first session's entries.
  const page = bytes.lastIndexOf('"seq":1000,') & ~8191;
  bytes.fill(0xff, page, page + 8192);
  writeFileSync(log.file, bytes);
  const damaged = temporaryLog({ file: log.file });
  const { ok, problems, sessions } = await verified(damaged);
  expect(ok).toBe(false);
  expect(sessions).toBe(1);
  expect(problems.some((problem) => problem.startsWith("session number 2 cannot be read"))).toBe(true);
  expect(problems[0]).toMatch(/malformed|Tree/);
  expect(everything(damaged, bravo)).toHaveLength(8);
});

test("a verification leaves the log writable, and no other file beside it", async () => {
  const log = temporaryLog();
  appendTo(log, alpha, startingState, closedState);
  await verified(log);
  fill(log, bravo, 1);
  log.close();
  expect(everything(temporaryLog({ file: log.file }), bravo)).toHaveLength(1);
});
