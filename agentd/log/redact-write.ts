// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a redaction. Each call is one transaction: it inserts the permit that the triggers require, clears the seal's
// salt, and replaces the text.
import type Database from "better-sqlite3";
import { inTransaction, wrapStoreErrors } from "./log-error.ts";
import { type Edits, withoutSecret } from "./redact-text.ts";
import { entriesPerSession } from "./session-table.ts";

export interface RedactionWriter {
  /** Like `entryId`, throws a plain Error if there is no such session or entry. */
  sid(session: string): number;
  entryId(session: string, seq: number): number;
  /** `byEntry`: id of the entry that reports the redaction. Skips entries that were purged meanwhile. */
  entries(edits: ReadonlyMap<number, Edits>, byEntry: number): void;
  receipt(sid: number, commandId: string, body: string, byEntry: number): void;
  literal(sid: number, servers: string): void;
  /** `text`: in the form that `rowText` selects. */
  row(sid: number, text: string): void;
}

/** SQL on a row of `session`: one JSON text of the columns that contain text of people and agents. */
export const rowText = `json_object('name', name, 'cwd', cwd, 'reason', reason, 'agent_session_id', agent_session_id,
  'latest', json(latest), 'open', json(open))`;

export function redactionWriter(db: Database.Database, file: string): RedactionWriter {
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
    sid: sidOf,
    entryId: (session, seq) => {
      const id = sidOf(session) * entriesPerSession + seq;
      if (wrapStoreErrors(file, () => exists.get(id)) === undefined) {
        throw new Error(`there is no entry ${seq} of session ${session} in the log`);
      }
      return id;
    },
    ...permittedWrites(db, file),
    literal: (number, servers) => inTransaction(db, file, () => void literal.run(servers, number)),
    row: (number, text) => {
      const { latest, open, ...columns } = JSON.parse(text) as Record<string, unknown>;
      const texts = { latest: JSON.stringify(latest), open: JSON.stringify(open) };
      inTransaction(db, file, () => void row.run({ ...columns, ...texts, sid: number }));
    },
  };
}

function permittedWrites(db: Database.Database, file: string): Pick<RedactionWriter, "entries" | "receipt"> {
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
    entries: (edits, byEntry) =>
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
    receipt: (sid, commandId, text, byEntry) =>
      inTransaction(db, file, () => {
        const id = command.get(sid, commandId);
        if (id !== undefined) permitted(id, byEntry, () => receipt.run(text, sid, commandId));
      }),
  };
}
