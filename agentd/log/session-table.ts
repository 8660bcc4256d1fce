// SPDX-License-Identifier: MIT OR Apache-2.0
// The table `session`: reads rows into the projection, and writes back what changed.
import type Database from "better-sqlite3";
import type { SessionUsage } from "../vocabulary/index.ts";
import { wrapStoreErrors } from "./log-error.ts";
import type { Latest, OpenItems, SessionRow } from "./project.ts";

/** An entry's id is the sid of its session times this, plus its seq. */
export const entriesPerSession = 2 ** 30;

export function sessionTable(db: Database.Database) {
  const read = db.prepare<[string], SessionColumns>(`SELECT ${columns} FROM session WHERE id = ?`);
  const sid = db.prepare<[string], number>("SELECT sid FROM session WHERE id = ?").pluck();
  const insert = db.prepare(
    "INSERT INTO session (id, created_at, updated_at, latest, open) VALUES (:session, :created_at, :updated_at, :latest, :open)",
  );
  const advance = db.prepare("UPDATE session SET last_seq = ?, updated_at = ? WHERE sid = ?");
  const replace = db.prepare(`
    UPDATE session SET name = :name, agent = :agent, cwd = :cwd, parent = :parent, state = :state, reason = :reason,
      turns = :turns, requests = :requests, last_seq = :last_seq, agent_session_id = :agent_session_id,
      updated_at = :updated_at, latest = :latest, open = :open, usage = :usage,
      forgotten = :forgotten
    WHERE sid = :sid`);
  return {
    read: (session: string) => {
      const found = read.get(session);
      return found && { sid: found.sid, row: rowOf(found) };
    },
    sid: (session: string) => sid.get(session),
    /** Returns the new session's sid. */
    insert: (row: SessionRow) => Number(insert.run(bound(row)).lastInsertRowid),
    /** Writes only last seq and time if nothing else changed, as while an agent sends messages. */
    update: (number: number, before: SessionRow, after: SessionRow): void => {
      if (before === after) return;
      if (onlyAdvanced(before, after)) advance.run(after.last_seq, after.updated_at, number);
      else replace.run({ ...bound(after), sid: number });
    },
  };
}

/** Returns the highest sid. Sids begin at 1 and have no gaps. */
export function lastSid(db: Database.Database, file: string): number {
  return wrapStoreErrors(file, () =>
    db.prepare<[], number>("SELECT coalesce(max(sid), 0) FROM session").pluck().get()!,
  );
}

/** The columns that a query must select for `rowOf`. */
export const columns =
  "sid, id, name, agent, cwd, parent, state, reason, turns, requests, last_seq, agent_session_id, created_at, updated_at, latest, open, usage, forgotten";

/** Latest, open and usage are JSON; forgotten is 0 or 1. */
export interface SessionColumns extends Omit<SessionRow, "session" | "latest" | "open" | "usage" | "forgotten"> {
  readonly sid: number;
  readonly id: string;
  readonly latest: string;
  readonly open: string;
  readonly usage: string | null;
  readonly forgotten: number;
}

export function rowOf(stored: SessionColumns): SessionRow {
  const { id, latest, open, usage, forgotten, sid: _sid, ...rest } = stored;
  return {
    session: id,
    ...rest,
    latest: JSON.parse(latest) as Latest,
    open: JSON.parse(open) as OpenItems,
    usage: usage === null ? null : (JSON.parse(usage) as SessionUsage),
    forgotten: forgotten === 1,
  };
}

function bound(row: SessionRow): Record<string, unknown> {
  const usage = row.usage === null ? null : JSON.stringify(row.usage);
  const { latest, open, forgotten } = row;
  return { ...row, latest: JSON.stringify(latest), open: JSON.stringify(open), usage, forgotten: forgotten ? 1 : 0 };
}

/** Compares by identity, since the projection keeps the objects that it did not change. */
function onlyAdvanced(before: SessionRow, after: SessionRow): boolean {
  return (
    before.latest === after.latest &&
    before.open === after.open &&
    before.usage === after.usage &&
    before.turns === after.turns &&
    before.requests === after.requests &&
    before.forgotten === after.forgotten &&
    before.state === after.state
  );
}
