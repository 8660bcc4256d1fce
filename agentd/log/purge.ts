// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes away what an ended session said and did. First a tombstone is committed, from then on it will happen: whoever
// opens the log after a crash finds what is left to remove and removes it. Then receipts, entries and at last seals go,
// in small transactions; a seal that is left behind a tombstone is what tells of a purge that is not over.
import type Database from "better-sqlite3";
import { callLimits } from "../vocabulary/index.ts";
import { wrapStoreErrors } from "./log-error.ts";
import type { Latest } from "./project.ts";
import { entriesPerSession } from "./session-table.ts";
import { reclaimSpace } from "./space.ts";
import type { Steps } from "./steps.ts";
import { inTransaction } from "./transaction.ts";

export interface Purged {
  /** How many entries went. */
  readonly entries: number;
  /** False where a reader kept the write-ahead log from being emptied: until it is, it still holds what was purged. */
  readonly walTruncated: boolean;
}

/** Throws LogError where the store fails; what was done till then stays done, and the same call goes on with it. */
export interface Purger {
  /**
   * Of an ended session, all that is in the log when the first step is taken; what is appended meanwhile stays. The id,
   * the name, where and with what agent it ran, and how it ended stay too, so that it can be listed; so do receipts,
   * without bodies over 4 KiB. A session that is not ended is a broken promise: a plain Error, and nothing is done.
   */
  purge(session: string): Steps<Purged>;
  /** A purge that leaves its space in the file, for the next entries or a `giveBack`. Returns how many entries went. */
  remove(session: string): Steps<number>;
  /** What was removed goes back to the disk, and is in no byte of the files. False as `writeAheadEmptied` is. */
  reclaimSpace(): Steps<boolean>;
  /** How many entries a purge would remove now. */
  purgeable(session: string): number;
  /** Sessions whose purge was begun and not ended: for when the log is opened. */
  unfinishedPurges(): readonly string[];
  /** Ends a purge that was begun, and leaves its space in the file; takes nothing that came later. */
  finishPurge(session: string): Steps<void>;
}

export interface PurgeOptions {
  readonly db: Database.Database;
  readonly file: string;
  readonly clock: { now(): number };
}

export function purger({ db, file, clock }: PurgeOptions): Purger {
  const place = db.prepare<[string], Place>(`
    SELECT sid, ${isEnded} AS ended, last_seq AS lastSeq, ${purgedTo} AS purged FROM session WHERE id = ?`);
  const unfinished = db.prepare<[], string>(`SELECT id FROM session WHERE ${isHalfPurged} ORDER BY sid`).pluck();
  const find = (session: string): Place => {
    const found = wrapStoreErrors(file, () => place.get(session));
    if (!found) throw new Error(`there is no session ${session} in the log`);
    return found;
  };
  const begin = beginner(db, file, clock);
  const removals = removalsOf(db, file);
  const removeBegun = function* (sid: number, session: string): Steps<void> {
    for (const removal of removals) yield* removal(sid, session);
  };
  const remove = function* (session: string): Steps<number> {
    const { sid, ended, lastSeq, purged } = find(session);
    if (!ended) throw new Error(`session ${session} is not ended, and cannot be purged`);
    if (lastSeq > purged) begin(sid, lastSeq, lastSeq - purged);
    yield;
    yield* removeBegun(sid, session);
    return lastSeq - purged;
  };
  return {
    purge: function* (session) {
      const entries = yield* remove(session);
      return { entries, walTruncated: yield* reclaimSpace(db, file) };
    },
    remove,
    reclaimSpace: () => reclaimSpace(db, file),
    purgeable: (session) => {
      const { lastSeq, purged } = find(session);
      return lastSeq - purged;
    },
    unfinishedPurges: () => wrapStoreErrors(file, () => unfinished.all()),
    finishPurge: function* (session) {
      yield* removeBegun(find(session).sid, session);
    },
  };
}

interface Place {
  readonly sid: number;
  readonly ended: 0 | 1;
  readonly lastSeq: number;
  readonly purged: number;
}

/** On a row of `session`; without the null of `instance`, which never ends. */
export const isEnded = "coalesce(state IN ('closed', 'lost', 'failed'), 0)";

/** On a row of `session`: the last seq that a purge took, 0 where there was none. */
export const purgedTo = "coalesce((SELECT max(last_seq) FROM tombstone WHERE tombstone.sid = session.sid), 0)";

/** On a row of `session`. The first seal alone is looked at. */
export const isHalfPurged = `
  sid IN (SELECT sid FROM tombstone)
  AND coalesce((SELECT first FROM seal WHERE first > sid << 30 AND first < (sid + 1) << 30 ORDER BY first LIMIT 1)
    <= (sid << 30) + ${purgedTo}, 0)`;

/** Tombstone, secrets and what the row held of the entries' text: all at once, or nothing has begun. */
function beginner(db: Database.Database, file: string, clock: { now(): number }) {
  const tombstone = db.prepare(`
    INSERT INTO tombstone (sid, last_seq, entries, chain, at)
    SELECT :sid, :lastSeq, :entries, digest, :at FROM seal
    WHERE first > :sid << 30 AND first <= (:sid << 30) + :lastSeq ORDER BY first DESC LIMIT 1`);
  const literal = db.prepare("DELETE FROM literal WHERE sid = ?");
  const row = db.prepare("UPDATE session SET agent_session_id = NULL, latest = ? WHERE sid = ?");
  return (sid: number, lastSeq: number, entries: number): void => {
    const at = new Date(clock.now()).toISOString();
    inTransaction(db, file, () => {
      tombstone.run({ sid, lastSeq, entries, at });
      literal.run(sid);
      row.run(JSON.stringify(latestOfNothing), sid);
    });
  };
}

const latestOfNothing: Latest = { info: {}, chosen: {} };

type Removal = (sid: number, session: string) => Steps<void>;

function removalsOf(db: Database.Database, file: string): readonly Removal[] {
  const permit = db.prepare("INSERT INTO permit (purpose, sid) VALUES ('purge', ?)");
  const withdraw = db.prepare("DELETE FROM permit");
  const permitted = (sid: number, act: () => void) =>
    inTransaction(db, file, () => {
      permit.run(sid);
      act();
      withdraw.run();
    });
  const last = db.prepare<[number], number>("SELECT max((sid << 30) + last_seq) FROM tombstone WHERE sid = ?").pluck();
  const lastPurged = (sid: number): number => wrapStoreErrors(file, () => last.get(sid)) ?? 0;
  return [
    shortenReceipts(db, file, permitted, lastPurged),
    removeRows(db, file, permitted, lastPurged, "entry", "id", "octet_length(body)"),
    removeRows(db, file, permitted, lastPurged, "seal", "first", "64"),
  ];
}

type Permitted = (sid: number, act: () => void) => void;
type LastPurged = (sid: number) => number;

/** From the first on. A step takes so many rows, or so many bytes: what is overwritten must be written. */
function removeRows(
  db: Database.Database,
  file: string,
  permitted: Permitted,
  lastPurged: LastPurged,
  table: "entry" | "seal",
  key: string,
  bytes: string,
): Removal {
  const some = db.prepare<[number, number], { readonly id: number; readonly bytes: number }>(
    `SELECT ${key} AS id, ${bytes} AS bytes FROM ${table} WHERE ${key} > ? AND ${key} <= ? ORDER BY ${key} LIMIT ${rowsPerStep}`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${key} > ? AND ${key} <= ?`);
  return function* (sid) {
    const base = sid * entriesPerSession;
    const last = lastPurged(sid);
    for (;;) {
      const to = lastOfStep(wrapStoreErrors(file, () => some.all(base, last)));
      if (to === undefined) return;
      permitted(sid, () => remove.run(base, to));
      yield;
    }
  };
}

function lastOfStep(rows: readonly { readonly id: number; readonly bytes: number }[]): number | undefined {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += row.bytes;
    if (bytes > bytesPerStep && index > 0) return rows[index - 1]!.id;
  }
  return rows.at(-1)?.id;
}

const rowsPerStep = 500;
const bytesPerStep = 1024 * 1024;

/**
 * Those whose command is among what was purged, in whichever scope its id was taken. What was shortened is not found
 * again.
 */
function shortenReceipts(db: Database.Database, file: string, permitted: Permitted, lastPurged: LastPurged): Removal {
  const some = db.prepare<[number, number], LongReceipt>(`
    SELECT sid AS scope, command_id AS id, entry FROM receipt INDEXED BY receipt_entry
    WHERE entry > ? AND entry <= ? AND octet_length(body) > ${callLimits.receiptBodyBytesMax} LIMIT ${rowsPerStep}`);
  const shorten = db.prepare("UPDATE receipt SET body = ? WHERE sid = ? AND command_id = ?");
  return function* (sid, session) {
    const base = sid * entriesPerSession;
    const last = lastPurged(sid);
    for (;;) {
      const long = wrapStoreErrors(file, () => some.all(base, last));
      if (long.length === 0) return;
      permitted(sid, () => {
        for (const { scope, id, entry } of long) shorten.run(purgedBody(session, entry - base), scope, id);
      });
      yield;
    }
  };
}

interface LongReceipt {
  readonly scope: number;
  readonly id: string;
  readonly entry: number;
}

function purgedBody(session: string, seq: number): string {
  return JSON.stringify({ session, seq, purged: true });
}
