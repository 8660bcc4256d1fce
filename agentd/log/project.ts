// SPDX-License-Identifier: MIT OR Apache-2.0
// What a session's entries come to: the row that lists, snapshots and recovery read instead of the entries.
import {
  type CommandEntry,
  type ElicitationEntry,
  type EntryContent,
  type FileEntry,
  finalToolStatuses,
  type InfoEntry,
  type PermissionEntry,
  type ReplyEntry,
  type ResolvedVia,
  type SessionPhase,
  type StateEntry,
  type TerminalEntry,
  type ToolCallEntry,
  type TurnEntry,
} from "../vocabulary/index.ts";

export interface SessionRow {
  readonly session: string;
  readonly name: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly parent: string | null;
  /** Null: `instance`, which has no life of its own. */
  readonly state: SessionPhase | null;
  readonly reason: string | null;
  /** The highest turn number. */
  readonly turns: number;
  /** The highest n of a request `<session>-<n>`. */
  readonly requests: number;
  readonly last_seq: number;
  readonly agent_session_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly latest: Latest;
  readonly open: OpenItems;
}

/** The seq of the last entry of each part of a snapshot; absent where there was none. */
export interface Latest {
  readonly state?: number;
  /** The last `state` that began a life: it names agent, cwd, additional directories, parent. */
  readonly life?: number;
  /** The last `state` of an agent that has come up: its session id, info, protocol version, capabilities. */
  readonly up?: number;
  readonly options?: number;
  readonly commands?: number;
  readonly plan?: number;
  readonly usage?: number;
  /** Merged: an `info` carries what changed. */
  readonly info: { readonly title?: string | null; readonly updated_at?: string | null };
  /** Options that someone set and the agent took: a resumed session gets them again. */
  readonly chosen: Readonly<Record<string, string | boolean>>;
}

/** What must be ended or answered when agentd starts again: recovery reads this and never looks for it. */
export interface OpenItems {
  readonly turns: readonly OpenTurn[];
  readonly requests: readonly LoggedRequest[];
  readonly tools: readonly OpenTool[];
  readonly commands: readonly OpenCommand[];
  /** Absent where there are none, as in the rows of an agentd that knew neither. */
  readonly writes?: readonly OpenWrite[];
  readonly terminals?: readonly LoggedTerminal[];
}

export interface OpenTurn {
  readonly turn: number;
  readonly phase: "queued" | "started";
  readonly seq: number;
  /** Something that the agent said or did in it is logged. */
  readonly answered?: true;
}

export interface LoggedRequest {
  readonly request: string;
  /** Resolved: whether the agent was told is not known. */
  readonly phase: "requested" | "resolved";
  readonly seq: number;
}

/** `seq` of the entry that intended it. */
export interface OpenWrite {
  readonly seq: number;
}

/** One that has both ended and been released is open no longer. */
export interface LoggedTerminal {
  readonly terminal: string;
  readonly turn?: number;
  readonly exited?: true;
  readonly released?: true;
}

export interface OpenTool {
  readonly tool_call_id: string;
  readonly turn?: number;
}

export interface OpenCommand {
  readonly seq: number;
  readonly verb: string;
  readonly command_id?: string;
  readonly sets?: { readonly option: string; readonly value: string | boolean };
}

/** A session before its first entry. */
export function newRow(session: string, at: string): SessionRow {
  return {
    session,
    name: null,
    agent: null,
    cwd: null,
    parent: null,
    state: null,
    reason: null,
    turns: 0,
    requests: 0,
    last_seq: 0,
    agent_session_id: null,
    created_at: at,
    updated_at: at,
    latest: { info: {}, chosen: {} },
    open: { turns: [], requests: [], tools: [], commands: [] },
  };
}

/**
 * The row after entries that were committed at `at`, the first of which has the seq after the row's last. Pure; a part
 * that no entry touched is the same object as before, so that the writer sees what changed. However a session's
 * entries are cut into commits, they come to the same row.
 */
export function project(row: SessionRow, at: string, entries: readonly EntryContent[]): SessionRow {
  if (entries.length === 0) return row;
  const draft: Draft = { ...row, updated_at: at };
  for (const entry of entries) {
    draft.last_seq += 1;
    fold(draft, entry);
  }
  return draft;
}

type Draft = { -readonly [K in keyof SessionRow]: SessionRow[K] };

function fold(draft: Draft, entry: EntryContent): void {
  switch (entry.kind) {
    case "command":
      return foldCommand(draft, entry);
    case "reply":
      return foldReply(draft, entry);
    case "state":
      return foldState(draft, entry);
    case "turn":
      return foldTurn(draft, entry);
    case "message":
      return entry.role === "user" ? undefined : markAnswered(draft, entry.turn);
    case "tool_call":
      return foldToolCall(draft, entry);
    case "permission":
    case "elicitation":
      return foldRequest(draft, entry);
    case "file":
      markAnswered(draft, entry.turn);
      return foldFile(draft, entry);
    case "terminal":
      markAnswered(draft, entry.turn);
      return foldTerminal(draft, entry);
    case "plan":
      markAnswered(draft, entry.turn);
      return pointTo(draft, "plan");
    case "options":
    case "commands":
    case "usage":
      return pointTo(draft, entry.kind);
    case "info":
      return foldInfo(draft, entry);
    case "notice":
    case "compaction":
    case "extension":
    case "diagnostic":
  }
}

function pointTo(draft: Draft, ...parts: readonly Exclude<keyof Latest, "info" | "chosen">[]): void {
  draft.latest = { ...draft.latest, ...Object.fromEntries(parts.map((part) => [part, draft.last_seq])) };
}

function foldCommand(draft: Draft, entry: CommandEntry): void {
  const { verb, command_id } = entry;
  const id = command_id === undefined ? {} : { command_id };
  const command: OpenCommand = { seq: draft.last_seq, verb, ...id, ...choiceOf(entry) };
  draft.open = { ...draft.open, commands: [...draft.open.commands, command] };
}

function choiceOf({ verb, args: { option, value } }: CommandEntry): Pick<OpenCommand, "sets"> {
  if (verb !== "agent.session.set_config" || typeof option !== "string") return {};
  return typeof value === "string" || typeof value === "boolean" ? { sets: { option, value } } : {};
}

function foldReply(draft: Draft, entry: ReplyEntry): void {
  const command = draft.open.commands.find((open) => open.seq === entry.command_seq);
  if (!command) return;
  draft.open = { ...draft.open, commands: draft.open.commands.filter((open) => open !== command) };
  if (command.sets === undefined || entry.rc !== 0) return;
  const chosen = { ...draft.latest.chosen, [command.sets.option]: command.sets.value };
  draft.latest = { ...draft.latest, chosen };
}

function foldState(draft: Draft, entry: StateEntry): void {
  draft.state = entry.state;
  draft.reason = entry.reason ?? null;
  pointTo(draft, "state");
  if (entry.agent !== undefined) pointTo(draft, "life");
  if (entry.agent_session_id !== undefined) pointTo(draft, "up");
  draft.agent = entry.agent ?? draft.agent;
  draft.name = entry.name ?? draft.name;
  draft.cwd = entry.cwd ?? draft.cwd;
  draft.parent = entry.parent ?? draft.parent;
  draft.agent_session_id = entry.agent_session_id ?? draft.agent_session_id;
  // To an agent that is no more no answer goes out, and none is waited for.
  if (isEnded(entry.state) && draft.open.requests.length > 0) draft.open = { ...draft.open, requests: [] };
}

function isEnded(phase: SessionPhase | null): boolean {
  return phase === "closed" || phase === "lost" || phase === "failed";
}

function foldTurn(draft: Draft, entry: TurnEntry): void {
  const { turn, phase } = entry;
  const others = draft.open.turns.filter((open) => open.turn !== turn);
  const turns = phase === "ended" ? others : [...others, { turn, phase, seq: draft.last_seq }];
  draft.open = { ...draft.open, turns };
  draft.turns = Math.max(draft.turns, turn);
}

function markAnswered(draft: Draft, turn: number | undefined): void {
  const open = draft.open.turns.find((one) => one.turn === turn);
  if (!open || open.answered) return;
  const turns = draft.open.turns.map((one) => (one === open ? { ...open, answered: true as const } : one));
  draft.open = { ...draft.open, turns };
}

/** As ACP has it, a tool call that says no status when it is first seen is pending; first sight carries a title. */
function foldToolCall(draft: Draft, entry: ToolCallEntry & { readonly turn?: number }): void {
  const { tool_call_id, turn, status, title } = entry;
  if (entry.closed_by === undefined) markAnswered(draft, turn);
  const known = draft.open.tools.some((tool) => tool.tool_call_id === tool_call_id);
  const final = finalToolStatuses.has(status);
  const opens = !known && !final && (typeof status === "string" || typeof title === "string");
  if (opens) {
    const tool: OpenTool = turn === undefined ? { tool_call_id } : { tool_call_id, turn };
    draft.open = { ...draft.open, tools: [...draft.open.tools, tool] };
  } else if (known && final) {
    draft.open = { ...draft.open, tools: draft.open.tools.filter((tool) => tool.tool_call_id !== tool_call_id) };
  }
}

function foldRequest(draft: Draft, entry: (PermissionEntry | ElicitationEntry) & { readonly turn?: number }): void {
  const { request, phase } = entry;
  const others = draft.open.requests.filter((open) => open.request !== request);
  switch (phase) {
    case "requested": {
      markAnswered(draft, entry.turn);
      const number = Number(request.slice(request.lastIndexOf("-") + 1));
      if (Number.isSafeInteger(number)) draft.requests = Math.max(draft.requests, number);
      draft.open = { ...draft.open, requests: [...others, { request, phase, seq: draft.last_seq }] };
      return;
    }
    case "resolved": {
      const told = isEnded(draft.state) || (entry.via !== undefined && toldToNobody.has(entry.via));
      const requests = told ? others : [...others, { request, phase, seq: draft.last_seq }];
      draft.open = { ...draft.open, requests };
      return;
    }
    case "changed":
      return;
    case "sent":
    case "unsent":
      draft.open = { ...draft.open, requests: others };
  }
}

function foldFile(draft: Draft, entry: FileEntry): void {
  const { writes = [] } = draft.open;
  if (entry.phase === "intended") setWrites(draft, [...writes, { seq: draft.last_seq }]);
  else if (entry.intended !== undefined) {
    setWrites(
      draft,
      writes.filter(({ seq }) => seq !== entry.intended),
    );
  }
}

function setWrites(draft: Draft, writes: readonly OpenWrite[]): void {
  const { writes: _, ...others } = draft.open;
  draft.open = writes.length === 0 ? others : { ...others, writes };
}

function foldTerminal(draft: Draft, entry: TerminalEntry & { readonly turn?: number }): void {
  const { terminal, turn, phase } = entry;
  const { terminals = [] } = draft.open;
  const open = terminals.find((one) => one.terminal === terminal);
  const others = terminals.filter((one) => one !== open);
  switch (phase) {
    case "started":
      return setTerminals(draft, [...others, turn === undefined ? { terminal } : { terminal, turn }]);
    case "failed":
      return open && setTerminals(draft, others);
    case "exited":
      return open && setTerminals(draft, open.released ? others : [...others, { ...open, exited: true }]);
    case "released":
      return open && setTerminals(draft, open.exited ? others : [...others, { ...open, released: true }]);
    case "killed":
  }
}

function setTerminals(draft: Draft, terminals: readonly LoggedTerminal[]): void {
  const { terminals: _, ...others } = draft.open;
  draft.open = terminals.length === 0 ? others : { ...others, terminals };
}

/** Where the agent took its request back, or agentd has died since, no answer goes out, and none is waited for. */
const toldToNobody: ReadonlySet<ResolvedVia> = new Set(["agent", "restart"]);

function foldInfo(draft: Draft, entry: InfoEntry): void {
  const { title, updated_at } = entry;
  const info = {
    ...draft.latest.info,
    ...(title === undefined ? {} : { title }),
    ...(updated_at === undefined ? {} : { updated_at }),
  };
  draft.latest = { ...draft.latest, info };
}
