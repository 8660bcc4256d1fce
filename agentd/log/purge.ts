// SPDX-License-Identifier: MIT OR Apache-2.0
// Removes the entries of an ended session. A tombstone is committed first, and makes the purge certain: after a crash the
// next opener finishes it. Long receipts, entries and finally seals are then removed in small transactions. A seal before
// a tombstone marks an unfinished purge.
import type Database from "better-sqlite3";
import { callLimits } from "../vocabulary/index.ts";
import { inTransaction, wrapStoreErrors } from "./log-error.ts";
import type { Latest } from "./project.ts";
import { entriesPerSession } from "./session-table.ts";
import { reclaimSpace } from "./space.ts";
import type { Steps } from "./steps.ts";

export interface PurgeResult {
  /** How many entries were removed. */
  readonly entries: number;
  /** False if a reader kept the write-ahead log from being truncated: it then still contains purged data. */
  readonly walTruncated: boolean;
}

/** Throws LogError if the store fails. What was done so far stays done, and the same call continues it. */
export function purger(db: Database.Database, file: string, clock: { now(): number }) {
  const bounds = db.prepare<[string], Bounds>(`
    SELECT sid, ${isEnded} AS ended, last_seq AS lastSeq, ${purgedTo} AS purged FROM session WHERE id = ?`);
  const unfinished = db.prepare<[], string>(`SELECT id FROM session WHERE ${isHalfPurged} ORDER BY sid`).pluck();
  const find = (session: string): Bounds => {
    const found = wrapStoreErrors(file, () => bounds.get(session));
    if (!found) throw new Error(`there is no session ${session} in the log`);
    return found;
  };
  const begin = tombstoneWriter(db, file, clock);
  const removeBegun = prepareRemoval(db, file);
  /** Purges without reclaiming the space, which new entries can then use. Returns how many entries were removed. */
  const remove = function* (session: string): Steps<number> {
    const { sid, ended, lastSeq, purged } = find(session);
    if (!ended) throw new Error(`session ${session} is not ended, and cannot be purged`);
    if (lastSeq > purged) begin(sid, lastSeq, lastSeq - purged);
    yield;
    yield* removeBegun(sid, session);
    return lastSeq - purged;
  };
  return {
    /**
     * Removes all entries that an ended session has at the first step; later ones stay. Id, name, agent, directory and end
     * state stay, so that the session can be listed, and so do its receipts, without bodies over 4 KiB. Throws a plain
     * Error, and does nothing, if the session has not ended.
     */
    purge: function* (session: string): Steps<PurgeResult> {
      const entries = yield* remove(session);
      return { entries, walTruncated: yield* reclaimSpace(db, file) };
    },
    remove,
    /** Gives freed space back to the disk, so that the files have no trace of removed data. Returns `walTruncated`. */
    reclaimSpace: () => reclaimSpace(db, file),
    /** Returns how many entries a purge would remove now. */
    purgeable: (session: string): number => {
      const { lastSeq, purged } = find(session);
      return lastSeq - purged;
    },
    /** Returns the sessions with an unfinished purge. To be called when the log is opened. */
    unfinishedPurges: () => wrapStoreErrors(file, () => unfinished.all()),
    /** Finishes a purge without reclaiming the space. Leaves entries that came after it began. */
    finishPurge: function* (session: string): Steps<void> {
      yield* removeBegun(find(session).sid, session);
    },
  };
}

interface Bounds {
  readonly sid: number;
  readonly ended: 0 | 1;
  readonly lastSeq: number;
  readonly purged: number;
}

/** SQL on a row of `session`. `coalesce`, since the state of `instance`, which never ends, is null. */
export const isEnded = "coalesce(state IN ('closed', 'lost', 'failed'), 0)";

/** SQL on a row of `session`: the last purged seq, 0 if there was no purge. */
export const purgedTo = "coalesce((SELECT max(last_seq) FROM tombstone WHERE tombstone.sid = session.sid), 0)";

/** SQL on a row of `session`: whether its purge is unfinished. Looks only at the first seal. */
export const isHalfPurged = `
  sid IN (SELECT sid FROM tombstone)
  AND coalesce((SELECT first FROM seal WHERE first > sid << 30 AND first < (sid + 1) << 30 ORDER BY first LIMIT 1)
    <= (sid << 30) + ${purgedTo}, 0)`;

/** Writes the tombstone, and removes the secrets and what the row has of the entries' text, in one transaction. */
function tombstoneWriter(db: Database.Database, file: string, clock: { now(): number }) {
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

/** Returns a function that removes what a session's tombstone covers. */
function prepareRemoval(db: Database.Database, file: string): (sid: number, session: string) => Steps<void> {
  const permit = db.prepare("INSERT INTO permit (purpose, sid) VALUES ('purge', ?)");
  const withdraw = db.prepare("DELETE FROM permit");
  const last = db.prepare<[number], number>("SELECT max((sid << 30) + last_seq) FROM tombstone WHERE sid = ?").pluck();
  const removals = [
    shortenReceipts(db, file),
    removeRows(db, file, "entry", "id", "octet_length(body)"),
    removeRows(db, file, "seal", "first", "64"),
  ];
  return function* (sid, session) {
    const range = { session, base: sid * entriesPerSession, last: wrapStoreErrors(file, () => last.get(sid)) ?? 0 };
    const permitted = (act: () => void) =>
      inTransaction(db, file, () => {
        permit.run(sid);
        act();
        withdraw.run();
      });
    for (const removal of removals) yield* removal(range, permitted);
  };
}

/** Removes entry ids after `base` up to `last`, in steps that `permitted` runs in a transaction each. */
type Removal = (
  range: { readonly session: string; readonly base: number; readonly last: number },
  permitted: (act: () => void) => void,
) => Steps<void>;

/** Removes rows from the first on. Bytes limit a step too, since secure_delete overwrites them. */
function removeRows(db: Database.Database, file: string, table: "entry" | "seal", key: string, bytes: string): Removal {
  const some = db.prepare<[number, number], { readonly id: number; readonly bytes: number }>(
    `SELECT ${key} AS id, ${bytes} AS bytes FROM ${table} WHERE ${key} > ? AND ${key} <= ? ORDER BY ${key} LIMIT ${rowsPerStep}`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${key} > ? AND ${key} <= ?`);
  return function* ({ base, last }, permitted) {
    for (;;) {
      const to = lastOfStep(wrapStoreErrors(file, () => some.all(base, last)));
      if (to === undefined) return;
      permitted(() => remove.run(base, to));
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

/** Shortens the receipts of purged commands, in whichever scope they are. A shortened one is not found again. */
function shortenReceipts(db: Database.Database, file: string): Removal {
  const some = db.prepare<[number, number], LongReceipt>(`
    SELECT sid AS scope, command_id AS id, entry FROM receipt INDEXED BY receipt_entry
    WHERE entry > ? AND entry <= ? AND octet_length(body) > ${callLimits.receiptBodyBytesMax} LIMIT ${rowsPerStep}`);
  const shorten = db.prepare("UPDATE receipt SET body = ? WHERE sid = ? AND command_id = ?");
  return function* ({ session, base, last }, permitted) {
    for (;;) {
      const long = wrapStoreErrors(file, () => some.all(base, last));
      if (long.length === 0) return;
      permitted(() => {
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
