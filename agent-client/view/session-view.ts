// SPDX-License-Identifier: MIT OR Apache-2.0
// What a front end shows of a session: a pure fold of its entries. Values never change; a part that an entry does not
// concern stays the same object, so a reader compares references to see what changed.
import { finalToolStatuses, isTruncated } from "../../agentd/vocabulary/entries.ts";
import type {
  CommandsEntry,
  ElicitationEntry,
  Entry,
  EntryHead,
  MessageEntry,
  PermissionEntry,
  PlanEntry,
  SessionOption,
  SessionPhase,
  StateEntry,
  ToolCallEntry,
  TruncatedEntry,
  TurnEntry,
  UsageEntry,
} from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { addUsage, type SessionUsage } from "../../agentd/vocabulary/usage.ts";
import { OpenQuestions } from "./open-questions.ts";
import { foldCompaction, joinBlock, type RowOf } from "./rows.ts";
import { foldSilence } from "./silence.ts";
import { foldPartialToolCall, foldToolCall, startsNewCall } from "./tool-call.ts";
import { type Bounds, changeTurn, findRow, lastRow, putRow, type Transcript, trim } from "./transcript.ts";

/** Members of `state` entries that keep the value of the last entry that has them. */
const runMembers = [
  "agent",
  "command",
  "name",
  "cwd",
  "additional_dirs",
  "parent",
  "policy",
  "agent_session_id",
  "agent_info",
  "protocol_version",
  "capabilities",
] as const satisfies readonly (keyof StateEntry)[];

export interface SessionView extends Transcript, Partial<Pick<StateEntry, (typeof runMembers)[number]>> {
  readonly session: string;
  readonly log: string | undefined;
  /** The last entry that was applied. */
  readonly seq: number;
  /** Undefined before the first `state` entry. */
  readonly state: SessionPhase | undefined;
  readonly reason?: string | undefined;
  readonly error?: StateEntry["error"];
  readonly title?: string | null | undefined;
  /** Modes and models are the options of the categories `mode` and `model`. */
  readonly options: readonly SessionOption[];
  readonly commands: CommandsEntry["commands"];
  readonly plan: PlanEntry["entries"];
  readonly usage: Pick<UsageEntry, "used" | "size" | "cost"> | undefined;
  /** The sum over the session's turns; null if the agent reported nothing. */
  readonly usage_total: SessionUsage | null;
  readonly questions: OpenQuestions;
  /** Since when the model of the running turn has been silent, if agentd has reported that it is. */
  readonly silent_since: string | undefined;
  /** `seq` of the snapshot that the view began with; 0 without one. Entries up to it add only rows. */
  readonly snapshotSeq: number;
}

type Draft = { -readonly [Member in keyof SessionView]: SessionView[Member] };

/** Begins after the entry `after`: 0 is the beginning of the log. */
export function newView(session: string, bounds: Partial<Bounds> = {}, after = 0): SessionView {
  return {
    session,
    log: undefined,
    seq: after,
    state: undefined,
    options: [],
    commands: [],
    plan: [],
    usage: undefined,
    usage_total: null,
    questions: new OpenQuestions(),
    silent_since: undefined,
    snapshotSeq: 0,
    turns: [],
    bounds: { rowsMax: 2_000, unitsMax: 16 * 1024 * 1024, ...bounds },
    size: { rows: 0, units: 0 },
    dropped: 0,
  };
}

/** Begins with a snapshot. Its rows begin after the entry `after`, which may be older than the snapshot. */
export function viewOf(
  snapshot: SessionSnapshot,
  bounds: Partial<Bounds> = {},
  after = snapshot.last_seq,
): SessionView {
  const { log, title, options, commands, plan, running, queued, requests } = snapshot;
  const draft: Draft = { ...newView(snapshot.session, bounds, after), log, options, commands, plan, title };
  foldState(draft, {
    ...snapshot,
    protocol_version: snapshot.protocol_version ?? undefined,
    agent_session_id: snapshot.agent_session_id ?? undefined,
  });
  draft.usage = snapshot.usage ?? undefined;
  draft.usage_total = snapshot.usage_total ?? null;
  draft.snapshotSeq = snapshot.last_seq;
  if (running !== null) changeTurn(draft, running.turn, (turn) => ({ ...turn, phase: "started" }));
  for (const { turn } of queued) changeTurn(draft, turn, (queuedTurn) => ({ ...queuedTurn, phase: "queued" }));
  for (const asked of requests)
    draft.questions = draft.questions.apply({ ...asked, phase: "requested", now: asked.asked_at });
  return draft;
}

/**
 * Returns the view after the next entry; an entry that was applied before changes nothing. Entries must come in order.
 * An entry of another log begins a new view, as its numbers have nothing to do with the former ones.
 */
export function applyEntry(view: SessionView, entry: Entry | TruncatedEntry): SessionView {
  const { log = view.log, seq } = entry;
  if (view.log !== undefined && log !== view.log) return applyEntry(newView(view.session, view.bounds), entry);
  if (seq <= view.seq) return view;
  const draft: Draft = { ...view, log, seq };
  if (isTruncated(entry)) putRow(draft, entry, undefined, { kind: "entry", entry });
  else {
    if (seq > view.snapshotSeq) foldFacts(draft, entry);
    foldRow(draft, entry);
  }
  trim(draft);
  return draft;
}

function foldFacts(draft: Draft, entry: Entry): void {
  draft.questions = draft.questions.apply(entry);
  draft.silent_since = foldSilence(draft.silent_since, entry);
  if (entry.kind === "state") foldState(draft, entry);
  if (entry.kind === "options") draft.options = entry.options;
  if (entry.kind === "commands") draft.commands = entry.commands;
  if (entry.kind === "plan") draft.plan = entry.entries;
  if (entry.kind === "info" && entry.title !== undefined) draft.title = entry.title;
  if (entry.kind === "turn" && entry.usage) draft.usage_total = addUsage(draft.usage_total, entry.usage);
  if (entry.kind === "usage") draft.usage = { used: entry.used, size: entry.size, cost: entry.cost ?? null };
  if (entry.kind === "info" && entry.name !== undefined) Object.assign(draft, { name: entry.name ?? undefined });
}

function foldState(draft: Draft, entry: Omit<StateEntry, "kind">): void {
  draft.state = entry.state;
  draft.reason = entry.reason;
  draft.error = entry.error;
  for (const name of runMembers) if (entry[name] !== undefined) Object.assign(draft, { [name]: entry[name] });
}

function foldRow(draft: Draft, entry: Entry): void {
  switch (entry.kind) {
    case "turn":
      return foldTurn(draft, entry);
    case "message":
      return foldMessage(draft, entry);
    case "tool_call":
      return foldToolCallRow(draft, entry);
    case "permission":
    case "elicitation":
      return foldQuestion(draft, entry);
    case "terminal": {
      const place = findRow(draft, "terminal", ({ terminal }) => terminal.terminal === entry.terminal);
      return putRow(draft, entry, place, { kind: "terminal", terminal: { ...place?.row.terminal, ...entry } });
    }
    case "file": {
      const place = findRow(draft, "file", ({ seq }) => seq === entry.intended);
      return putRow(draft, entry, place, { kind: "file", file: entry });
    }
    case "compaction": {
      const place = findRow(draft, "compaction", (row) => row.compaction.compaction_id === entry.compaction_id);
      const compaction = foldCompaction(place?.row.compaction, entry);
      return putRow(draft, entry, place, { kind: "compaction", compaction });
    }
    case "command":
      return putRow(draft, entry, undefined, { kind: "command", command: entry });
    case "reply": {
      const place = findRow(draft, "command", ({ seq }) => seq === entry.command_seq);
      if (place === undefined) return putRow(draft, entry, undefined, { kind: "entry", entry });
      return putRow(draft, entry, place, { kind: "command", command: place.row.command, reply: entry });
    }
    case "plan":
    case "commands":
    case "options":
    case "info":
    case "usage":
      return undefined;
    case "state":
    case "notice":
    case "extension":
    case "diagnostic":
      return putRow(draft, entry, undefined, { kind: "entry", entry });
    default:
      // A kind of a newer agentd. The type makes the compiler report a kind of the vocabulary that is missing above.
      return putRow(draft, entry satisfies never, undefined, { kind: "entry", entry });
  }
}

function foldTurn(draft: Draft, entry: TurnEntry & EntryHead): void {
  const { turn: number, phase, stop_reason, sent, forced, steering, into, error, usage, at } = entry;
  changeTurn(draft, number, (turn) => ({
    ...turn,
    phase,
    stop_reason,
    sent,
    forced,
    steering,
    into,
    error,
    usage,
    at: { ...turn.at, [phase]: at },
  }));
}

/** A chunk continues its message only where nothing came between: text after a tool call stays after it. */
function foldMessage(draft: Draft, entry: Entry & MessageEntry): void {
  const { role, message_id, content, append, parent_tool_call_id: parent } = entry;
  const isOfMessage = (row: RowOf<"message">): boolean =>
    row.role === role && row.message_id === message_id && row.parent_tool_call_id === parent;
  const last = append === true ? lastRow(draft, entry) : undefined;
  const continued = last?.row.kind === "message" && isOfMessage(last.row) ? { ...last, row: last.row } : undefined;
  const place = append === true ? continued : findRow(draft, "message", isOfMessage);
  const before = continued?.row.blocks ?? [];
  putRow(draft, entry, place, {
    kind: "message",
    role,
    message_id,
    ...(parent === undefined ? {} : { parent_tool_call_id: parent }),
    blocks: joinBlock(before, content),
  });
}

function foldToolCallRow(draft: Draft, entry: Entry & ToolCallEntry): void {
  const { tool_call_id } = entry;
  const found = findRow(draft, "tool_call", ({ call }) => call.tool_call_id === tool_call_id);
  const place = found !== undefined && startsNewCall(found.row.call, entry) ? undefined : found;
  const call = foldPartialToolCall(place?.row.call ?? { tool_call_id }, entry);
  const closedBy = entry.closed_by ?? (entry.status === undefined ? place?.row.closed_by : undefined);
  putRow(draft, entry, place, { kind: "tool_call", call, ...(closedBy === undefined ? {} : { closed_by: closedBy }) });
}

function foldQuestion(draft: Draft, entry: Entry & (PermissionEntry | ElicitationEntry)): void {
  const { request, phase } = entry;
  if (entry.kind === "permission" && phase === "requested") foldRequestedCall(draft, entry);
  const place = findRow(draft, "question", (row) => row.request === request);
  const asked = phase === "requested" ? entry : (draft.questions.get(request) ?? place?.row.asked);
  const { resolved, sent } = place?.row ?? {};
  putRow(draft, entry, place, {
    kind: "question",
    request,
    asked,
    ...(phase === "resolved" ? { resolved: entry } : { resolved }),
    ...(phase === "sent" || phase === "unsent" ? { sent: entry.sent ?? phase } : { sent }),
  });
}

/** What a permission request itself says of its tool call is news of the call, such as its true title. */
function foldRequestedCall(draft: Draft, entry: Entry & PermissionEntry): void {
  if (entry.agent_session !== undefined) return;
  const place = findRow(draft, "tool_call", ({ call }) => call.tool_call_id === entry.tool_call?.tool_call_id);
  if (place === undefined || finalToolStatuses.has(place.row.call.status)) return;
  const { closed_by } = place.row;
  const call = foldToolCall(place.row.call, entry);
  putRow(draft, entry, place, { kind: "tool_call", call, ...(closed_by === undefined ? {} : { closed_by }) });
}
