// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads sessions from the log: finds them by reference, lists them, and collects the parts of a snapshot.
import type Database from "better-sqlite3";
import { parseJson } from "../../json/raw-json.ts";
import {
  callLimits,
  type CommandsEntry,
  type EntryContent,
  type EntryKind,
  type EntryHead,
  instanceSession,
  livePhases,
  type OptionsEntry,
  type PlanEntry,
  type SessionPhase,
  type SessionSnapshot,
  type StateEntry,
  type UsageEntry,
} from "../vocabulary/index.ts";
import { kindNumbers } from "./kinds.ts";
import { wrapStoreErrors } from "./log-error.ts";
import type { Latest, SessionRow } from "./project.ts";
import { rowsPerPageMax } from "./read.ts";
import { columns, rowOf, type SessionColumns, sessionTable } from "./session-table.ts";

export type FoundSession =
  | { readonly found: "one"; readonly session: string }
  | { readonly found: "none" }
  /** The prefix is ambiguous; at most 8 of its sessions. */
  | { readonly found: "several"; readonly sessions: readonly string[] };

export interface SessionQuery {
  readonly state?: readonly SessionPhase[];
  readonly agent?: string;
  readonly cwd?: string;
  /** Leaves out ended sessions that were forgotten. */
  readonly withoutForgotten?: boolean;
  /** The `next` of the previous page. */
  readonly after?: string;
  /** Default 100, at most 1000. */
  readonly limit?: number;
}

export type SessionList =
  | { readonly sessions: readonly SessionRow[]; readonly next?: string; readonly refused?: undefined }
  /** `after` is malformed. */
  | { readonly refused: "cursor" };

type Logged<E extends EntryContent> = EntryHead & E & { readonly turn?: number; readonly late?: true };

/** For each part of a snapshot, the last entry that has it. */
export interface LatestEntries {
  readonly state?: Logged<StateEntry>;
  /** The last `state` that began a run. */
  readonly life?: Logged<StateEntry>;
  /** The last `state` of an agent that came up. */
  readonly up?: Logged<StateEntry>;
  readonly options?: Logged<OptionsEntry>;
  readonly commands?: Logged<CommandsEntry>;
  readonly plan?: Logged<PlanEntry>;
  readonly usage?: Logged<UsageEntry>;
  readonly info: Latest["info"];
}

export type Unanswered = NonNullable<SessionSnapshot["unanswered"]>;

const { sessionsPerPageDefault, sessionsPerPageMax } = callLimits;
const ambiguousMax = 8;
const childrenMax = 256;

export type SessionReader = ReturnType<typeof sessionReader>;

/** Each call throws LogError if the store fails. */
export function sessionReader(db: Database.Database, file: string) {
  const table = sessionTable(db);
  const find = prepareFind(db);
  const latest = prepareLatest(db);
  const unanswered = prepareUnanswered(db);
  const live = db.prepare<[], SessionColumns>(`SELECT ${columns} FROM session WHERE ${isLive} ORDER BY sid`);
  const loose = db.prepare<[], SessionColumns>(
    `SELECT ${columns} FROM session INDEXED BY session_loose WHERE ${isEnded}
     AND (json_type(open, '$.writes') IS NOT NULL OR json_type(open, '$.terminals') IS NOT NULL) ORDER BY sid`,
  );
  const children = db
    .prepare<[string], string>(`SELECT id FROM session WHERE parent = ? ORDER BY sid DESC LIMIT ${childrenMax}`)
    .pluck();
  return {
    /**
     * Tries in this order: an id, or `instance`; the name of a live session; a prefix that only one live session has; the
     * name of the newest ended session, a purged one last; any prefix.
     */
    find: (reference: string) => wrapStoreErrors(file, () => find(reference)),
    row: (session: string) => wrapStoreErrors(file, () => table.read(session)?.row),
    /** Returns the live sessions, oldest first. */
    live: (): readonly SessionRow[] => wrapStoreErrors(file, () => live.all().map(rowOf)),
    /** Returns the ended sessions with an open file write or terminal, which recovery has to end. */
    endedWithLooseEnds: (): readonly SessionRow[] => wrapStoreErrors(file, () => loose.all().map(rowOf)),
    /** Newest first, without `instance`. New sessions do not shift the pages that follow. */
    list: (query: SessionQuery) => wrapStoreErrors(file, () => list(db, query)),
    /** Returns the sessions that this one's agent started, newest first, at most 256. */
    children: (session: string): readonly string[] => wrapStoreErrors(file, () => children.all(session)),
    latest: (session: string) => wrapStoreErrors(file, () => latest(session)),
    /** Counts the requests that nobody answered in time, among the session's last 20,000 entries. */
    unanswered: (session: string) => wrapStoreErrors(file, () => unanswered(session)),
  };
}

/** Must equal the conditions of the partial indexes literally; otherwise SQLite does not use them. */
const isLive = `state IN (${livePhases.map((phase) => `'${phase}'`).join(", ")})`;
const isEnded = "state IN ('closed', 'lost', 'failed')";

function prepareFind(db: Database.Database): (reference: string) => FoundSession {
  const some = ambiguousMax + 1;
  const ids = (which: string) => db.prepare<string[], string>(`SELECT id FROM session ${which}`).pluck();
  const byId = ids("WHERE id = ?");
  const byLiveName = ids(`INDEXED BY session_live WHERE name = ? AND ${isLive} LIMIT ${some}`);
  const byLivePrefix = ids(`INDEXED BY session_live WHERE id >= ? AND id < ? AND ${isLive} LIMIT 2`);
  // A name is free once its session has ended, so several sessions can have it. A purged session has no `life`, although
  // it has an entry: the reply to its purge.
  const byFormerName = ids("WHERE name = ? AND json_type(latest, '$.life') IS NOT NULL ORDER BY sid DESC LIMIT 1");
  const byPurgedName = ids("WHERE name = ? ORDER BY sid DESC LIMIT 1");
  const byPrefix = ids(`WHERE id >= ? AND id < ? AND id <> '${instanceSession}' ORDER BY id LIMIT ${some}`);
  return (reference) => {
    const id = byId.get(reference);
    if (id !== undefined) return { found: "one", session: id };
    const named = byLiveName.all(reference);
    if (named.length > 0) return oneOf(named);
    // `{` follows `z`.
    const range = /^[a-z2-7]+$/.test(reference) ? ([reference, `${reference}{`] as const) : undefined;
    const [live, another] = range === undefined ? [] : byLivePrefix.all(...range);
    if (live !== undefined && another === undefined) return { found: "one", session: live };
    const former = byFormerName.get(reference) ?? byPurgedName.get(reference);
    if (former !== undefined) return { found: "one", session: former };
    return range === undefined ? { found: "none" } : oneOf(byPrefix.all(...range));
  };
}

function oneOf(sessions: readonly string[]): FoundSession {
  const [session, another] = sessions;
  if (session === undefined) return { found: "none" };
  return another === undefined
    ? { found: "one", session }
    : { found: "several", sessions: sessions.slice(0, ambiguousMax) };
}

function list(db: Database.Database, query: SessionQuery): SessionList {
  const below = query.after === undefined ? undefined : sidOfCursor(query.after);
  if (query.after !== undefined && below === undefined) return { refused: "cursor" };
  const limit = Math.min(Math.max(query.limit ?? sessionsPerPageDefault, 1), sessionsPerPageMax);
  const found = listSelects({ ...query, below }, limit + 1)
    .flatMap(({ sql, values }) => db.prepare<unknown[], SessionColumns>(sql).all(...values))
    .sort((one, other) => other.sid - one.sid);
  const page = found.slice(0, limit);
  const sessions = page.map((row) => rowOf(row));
  return found.length > limit ? { sessions, next: cursorOf(page.at(-1)!.sid) } : { sessions };
}

interface Select {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * Builds one query for all live states, whose index is small, and one per ended state, whose index is in order; without
 * `state`, one query over the table itself. The caller merges the results.
 */
export function listSelects(
  {
    state,
    agent,
    cwd,
    withoutForgotten,
    below,
  }: Omit<SessionQuery, "after" | "limit"> & { readonly below?: number | undefined },
  limit: number,
): readonly Select[] {
  const select = (index: string, condition: string, given: readonly string[]): Select => {
    const conditions = [condition, ...(withoutForgotten === true ? [`(forgotten = 0 OR ${isLive})`] : [])];
    const values: (string | number)[] = [...given];
    const where = (more: string, value: string | number): void => {
      conditions.push(more);
      values.push(value);
    };
    if (agent !== undefined) where("agent = ?", agent);
    if (cwd !== undefined) where("cwd = ?", cwd);
    if (below !== undefined) where("sid < ?", below);
    // A directory has few sessions, and an index of its own.
    const indexed = cwd === undefined ? index : "";
    const sql = `SELECT ${columns} FROM session ${indexed} WHERE ${conditions.join(" AND ")} ORDER BY sid DESC LIMIT ?`;
    return { sql, values: [...values, limit] };
  };
  if (state === undefined) return [select("", "state IS NOT NULL", [])];
  const asked = [...new Set(state)];
  const live = asked.filter((phase) => liveStates.has(phase));
  const marks = live.map(() => "?").join(", ");
  const ofEnded = asked
    .filter((phase) => !liveStates.has(phase))
    .map((phase) => select("INDEXED BY session_ended", `state = ? AND ${isEnded}`, [phase]));
  if (live.length === 0) return ofEnded;
  return [select("INDEXED BY session_live", `state IN (${marks}) AND ${isLive}`, live), ...ofEnded];
}

const liveStates: ReadonlySet<SessionPhase> = new Set(livePhases);

/** A cursor is a sid, since sids increase and are never reused. */
function cursorOf(sid: number): string {
  return `s${sid.toString(36)}`;
}

function sidOfCursor(cursor: string): number | undefined {
  return /^s[0-9a-z]{1,5}$/.test(cursor) ? Number.parseInt(cursor.slice(1), 36) : undefined;
}

function prepareLatest(db: Database.Database): (session: string) => LatestEntries | undefined {
  const place = db.prepare<[string], { readonly base: number; readonly latest: string }>(
    "SELECT sid << 30 AS base, latest FROM session WHERE id = ?",
  );
  const body = db.prepare<[number], string>("SELECT body FROM entry WHERE id = ?").pluck();
  return (session) => {
    const found = place.get(session);
    if (!found) return undefined;
    const { info, chosen: _, ...seqs } = JSON.parse(found.latest) as Latest;
    const entries = Object.entries(seqs).flatMap(([part, seq]) => {
      const text = body.get(found.base + seq);
      // A purged entry is not part of a snapshot.
      return text === undefined ? [] : [[part, parseJson(text)]];
    });
    return { ...(Object.fromEntries(entries) as Omit<LatestEntries, "info">), info };
  };
}

function prepareUnanswered(db: Database.Database): (session: string) => Unanswered {
  const place = db.prepare<[string], { readonly base: number; readonly last: number }>(
    "SELECT sid << 30 AS base, last_seq AS last FROM session WHERE id = ?",
  );
  const counts = db.prepare<[number, number], { readonly kind: number; readonly count: number }>(
    `SELECT kind, count(*) AS count FROM entry WHERE id BETWEEN ? AND ?
     AND kind IN (${kindNumbers.permission}, ${kindNumbers.elicitation})
     AND json_extract(body, '$.via') = 'timeout' GROUP BY kind`,
  );
  return (session) => {
    const { base, last } = place.get(session) ?? { base: 0, last: 0 };
    const first = Math.max(1, last - rowsPerPageMax + 1);
    const found = new Map(counts.all(base + first, base + last).map(({ kind, count }) => [kind, count]));
    const of = (kind: EntryKind): number => found.get(kindNumbers[kind]) ?? 0;
    return { permissions: of("permission"), elicitations: of("elicitation") };
  };
}
