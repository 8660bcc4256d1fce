// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a redaction. Each call is one transaction: it inserts the permit that the triggers require, clears the seal's
// salt, and replaces the text.
import type Database from "better-sqlite3";
import { inTransaction, wrapStoreErrors } from "./log-error.ts";
import { type Edits, withoutSecret } from "./redact-text.ts";
import { entriesPerSession } from "./session-table.ts";

export type RedactionWriter = ReturnType<typeof redactionWriter>;

/** SQL on a row of `session`: one JSON text of the columns that contain text of people and agents. */
export const rowText = `json_object('name', name, 'cwd', cwd, 'reason', reason, 'agent_session_id', agent_session_id,
  'latest', json(latest), 'open', json(open))`;

export function redactionWriter(db: Database.Database, file: string) {
  const sid = db.prepare<[string], number>("SELECT sid FROM session WHERE id = ?").pluck();
  const exists = db.prepare<[number], number>("SELECT 1 FROM entry WHERE id = ?").pluck();
  const literal = db.prepare("UPDATE literal SET servers = ? WHERE sid = ?");
  const row = db.prepare(`
    UPDATE session SET name = :name, cwd = :cwd, reason = :reason, agent_session_id = :agent_session_id,
      latest = :latest, open = :open
    WHERE sid = :sid`);
  const sidOf = (session: string): number => {
    const found = wrapStoreErrors(file, () => sid.get(session));
    if (found === undefined) throw new Error(`there is no session ${session} in the log`);
    return found;
  };
  return {
    /** Like `entryId`, throws a plain Error if there is no such session or entry. */
    sid: sidOf,
    entryId: (session: string, seq: number): number => {
      const id = sidOf(session) * entriesPerSession + seq;
      if (wrapStoreErrors(file, () => exists.get(id)) === undefined) {
        throw new Error(`there is no entry ${seq} of session ${session} in the log`);
      }
      return id;
    },
    ...permittedWrites(db, file),
    literal: (number: number, servers: string) => inTransaction(db, file, () => void literal.run(servers, number)),
    /** `text`: in the form that `rowText` selects. */
    row: (number: number, text: string): void => {
      const { latest, open, ...columns } = JSON.parse(text) as Record<string, unknown>;
      const texts = { latest: JSON.stringify(latest), open: JSON.stringify(open) };
      inTransaction(db, file, () => void row.run({ ...columns, ...texts, sid: number }));
    },
  };
}

/** `byEntry` of each write: id of the entry that reports the redaction. */
function permittedWrites(db: Database.Database, file: string) {
  const permit = db.prepare("INSERT INTO permit (purpose, sid, seq, by_entry) VALUES ('redact', ?, ?, ?)");
  const withdraw = db.prepare("DELETE FROM permit");
  const body = db.prepare<[number], string>("SELECT body FROM entry WHERE id = ?").pluck();
  const seal = db.prepare(`
    UPDATE seal SET salt = NULL, redacted_by = ?
    WHERE first = (SELECT first FROM seal WHERE first <= ? ORDER BY first DESC LIMIT 1)`);
  const entry = db.prepare("UPDATE entry SET body = ? WHERE id = ?");
  const command = db
    .prepare<[number, string], number>("SELECT entry FROM receipt WHERE sid = ? AND command_id = ?")
    .pluck();
  const receipt = db.prepare("UPDATE receipt SET body = ? WHERE sid = ? AND command_id = ?");
  const permitted = (id: number, byEntry: number, act: () => void) => {
    permit.run(Math.floor(id / entriesPerSession), id % entriesPerSession, byEntry);
    act();
    withdraw.run();
  };
  return {
    /** Skips entries that were purged meanwhile. */
    entries: (edits: ReadonlyMap<number, Edits>, byEntry: number): void =>
      inTransaction(db, file, () => {
        for (const [id, places] of edits) {
          const text = body.get(id);
          if (text === undefined) continue;
          permitted(id, byEntry, () => {
            seal.run(byEntry, id);
            entry.run(withoutSecret(text, places), id);
          });
        }
      }),
    receipt: (sid: number, commandId: string, text: string, byEntry: number): void =>
      inTransaction(db, file, () => {
        const id = command.get(sid, commandId);
        if (id !== undefined) permitted(id, byEntry, () => receipt.run(text, sid, commandId));
      }),
  };
}
