// SPDX-License-Identifier: MIT OR Apache-2.0
// Rebuilds a session's state from the log: enough to refuse commands of an ended session, and to end one whose agentd
// died.
import { parseJson } from "../../json/raw-json.ts";
import type { Log } from "../log/open.ts";
import type { LoggedRequest, LoggedTerminal, SessionRow } from "../log/project.ts";
import type { EntryReader } from "../log/read.ts";
import type { LatestEntries } from "../log/sessions.ts";
import type { Cost, ElicitationEntry, EntryHead, ErrorBody, PermissionEntry, UsageEntry } from "../vocabulary/index.ts";
import { toCountedCost } from "./core/map-update.ts";
import type { RecoveredTool, RecoveredTurn, SessionInput } from "./core/input.ts";
import {
  type IntendedWrite,
  newSession,
  type PendingRequest,
  type OpenTerminal,
  type SessionState,
} from "./core/state.ts";

type LogReaders = Pick<Log, "sessions" | "entries">;

export function stateFromLog({ sessions: reader, entries }: LogReaders, session: string): SessionState | undefined {
  const row = reader.row(session);
  if (!row) return undefined;
  const latest = reader.latest(session);
  const cost = findLastCost(entries, row, latest);
  const base = newSession({
    id: row.session,
    agent: row.agent ?? "",
    ...commandIn(latest?.life),
    ...(row.name === null ? {} : { name: row.name }),
    cwd: row.cwd ?? "",
    additionalDirs: latest?.life?.additional_dirs ?? [],
    ...(row.parent === null ? {} : { parent: row.parent }),
    env: latest?.life?.env ?? [],
    ...(latest?.life?.policy === undefined ? {} : { policy: latest.life.policy }),
    createdAt: row.created_at,
  });
  return {
    ...base,
    seq: row.last_seq,
    turns: row.turns,
    lastTurn: findLastTurn(row),
    requestCount: row.requests,
    run: toRun(row, latest?.state?.error),
    options: latest?.options?.options ?? [],
    agentSide: row.agent_session_id === null ? null : toAgentSide(row, latest),
    // What an earlier run did not count is lost: its turns have ended.
    cost: { reported: cost, counted: cost },
    terminals: (row.open.terminals ?? []).map(toOpenTerminal),
    transcriptOwed: owesTranscript(entries, session, latest?.up),
  };
}

/**
 * Returns the cost that the agent last reported for its present session, which its next reports go on from. Not every
 * update of an agent has the cost.
 */
function findLastCost(entries: EntryReader, row: SessionRow, latest: LatestEntries | undefined): Cost | null {
  const first = latest?.up?.resumed === "fresh" ? latest.up.seq : 0;
  const last = latest?.usage;
  if (last === undefined || last.seq < first) return null;
  const cost = toCountedCost(last.cost);
  // Without a cost in the sum, none of the earlier updates has been counted.
  if (cost !== undefined || row.usage?.cost === undefined) return cost ?? null;
  for (let before: number | undefined = last.seq; before !== undefined && before > first;) {
    const page = entries.page({ session: row.session, before, kinds: ["usage"] });
    const usages = page.entries.map((text) => parseJson(text) as UsageEntry & EntryHead);
    const found = usages.findLast((usage) => usage.seq > first && toCountedCost(usage.cost) !== undefined);
    if (found !== undefined) return toCountedCost(found.cost) ?? null;
    before = page.previous;
  }
  return null;
}

function commandIn(life: LatestEntries["life"]): Pick<SessionState, "command"> {
  const [program, ...args] = life?.command ?? [];
  return program === undefined ? {} : { command: [program, ...args] };
}

/** Returns whether a `fresh` agent session was opened that no prompt has reached since. */
function owesTranscript(entries: EntryReader, session: string, up: LatestEntries["up"]): boolean {
  if (up?.resumed !== "fresh") return false;
  const turns = entries.page({ session, after: up.seq, kinds: ["turn"], limit: 100 }).entries;
  return !turns.some((text) => (JSON.parse(text) as { sent?: unknown }).sent === true);
}

/** Returns the state of a session that was live when its agentd died, and the input that ends it. */
export function recoveryFromLog(
  readers: LogReaders,
  row: SessionRow,
  processesEnded: number,
): readonly [SessionState, SessionInput] {
  const { entries } = readers;
  const state = stateFromLog(readers, row.session);
  if (!state) throw new Error(`the live session ${row.session} has no row`);
  const { open } = row;
  const turns = open.turns.map(({ turn, phase, answered, steering }): RecoveredTurn => ({
    turn,
    started: phase === "started",
    answered: answered === true,
    steering: steering === true,
  }));
  const openTools = open.tools.map(({ tool_call_id, turn }): RecoveredTool => ({
    toolCallId: tool_call_id,
    ...(turn === undefined ? {} : { turn }),
  }));
  const requested = open.requests.filter(({ phase }) => phase === "requested");
  return [
    {
      ...state,
      requests: requested.map((logged) => toPendingRequest(entries, row.session, logged)),
      writes: findIntendedWrites(entries, row),
      unsent: open.requests
        .filter(({ phase }) => phase === "resolved")
        .map((logged) => ({ request: logged.request, kind: toPendingRequest(entries, row.session, logged).kind })),
      pending: open.commands.map(({ seq, verb, command_id }) => ({
        seq,
        verb,
        caller: null,
        ...(command_id === undefined ? {} : { commandId: command_id }),
      })),
    },
    { type: "recover", turns, openTools, processesEnded },
  ];
}

/** Reads the writes that have no outcome. A redacted entry yields no path. */
function findIntendedWrites(entries: EntryReader, { session, open }: SessionRow): readonly IntendedWrite[] {
  return (open.writes ?? []).map(({ seq }) => {
    const body = entries.body(session, seq);
    const {
      path = "",
      bytes = 0,
      turn,
      citizen,
    } = body === undefined ? {} : (JSON.parse(body) as Partial<IntendedWrite>);
    return { seq, key: null, path, bytes, turn, ...(citizen === undefined ? {} : { citizen }) };
  });
}

function toOpenTerminal({ terminal, turn, exited, released }: LoggedTerminal): OpenTerminal {
  return { terminal, turn, exited: exited === true, released: released === true };
}

/** Rebuilds only what is needed to end the request, since nobody can answer it any more. */
function toPendingRequest(entries: EntryReader, session: string, { request, seq }: LoggedRequest): PendingRequest {
  const body = entries.body(session, seq);
  const entry =
    body === undefined
      ? {}
      : (JSON.parse(body) as Partial<PermissionEntry | ElicitationEntry> & { readonly turn?: number });
  const turn = entry.turn === undefined ? {} : { turn: entry.turn };
  const head = { request, key: null, ...turn, askedAt: entry.now ?? "", expiresAt: null };
  if (entry.kind === "elicitation") {
    return { kind: "elicitation", ...head, elicitation: { mode: "form", message: "", schema: {} } };
  }
  const unknownCall = { callKey: "", toolCall: { tool_call_id: "" }, omitted: [], changed: [], edition: 0 };
  return { kind: "permission", ...head, ...unknownCall, options: [] };
}

/** Derives the run from the session's row. `idle` stands for a turn too, because recovery ends turns by number. */
function toRun(row: SessionRow, error: ErrorBody | undefined): SessionState["run"] {
  // The log does not say what a start was to become if it failed: a session that was never up has failed.
  const becomes = row.agent_session_id === null ? "failed" : "closed";
  const reason = { ...(row.reason === null ? {} : { reason: row.reason }), ...(error ? { error } : {}) };
  switch (row.state) {
    case "starting":
      return { phase: "starting", openMode: "new", config: [], failsAs: becomes };
    case "closing":
      return { phase: "closing", becomes: error ? becomes : "closed", ...reason, reason: row.reason ?? "asked" };
    case "closed":
    case "lost":
    case "failed":
      return { phase: "ended", state: row.state, ...reason };
    case "idle":
    case "running":
    case "waiting":
      return { phase: "idle" };
    case null:
      // The instance has a log, but no agent.
      return { phase: "ended", state: "closed" };
  }
}

function findLastTurn(row: SessionRow): number {
  const queued = row.open.turns.filter(({ phase }) => phase === "queued").map(({ turn }) => turn);
  return queued.length === 0 ? row.turns : Math.min(...queued) - 1;
}

function toAgentSide(row: SessionRow, latest: LatestEntries | undefined): SessionState["agentSide"] {
  const up = latest?.up;
  return {
    sessionId: row.agent_session_id ?? "",
    info: up?.agent_info ?? null,
    protocolVersion: up?.protocol_version ?? 1,
    capabilities: up?.capabilities ?? {},
    openedAt: up === undefined ? 0 : Date.parse(up.at),
    wasLoaded: up?.resumed === "load",
  };
}
