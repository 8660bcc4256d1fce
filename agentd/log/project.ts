// SPDX-License-Identifier: MIT OR Apache-2.0
// The projection of a session's entries: the row that lists, snapshots and recovery read instead of the entries.
import {
  addUsage,
  type CommandEntry,
  type ElicitationEntry,
  type EntryContent,
  type FileEntry,
  finalToolStatuses,
  type InfoEntry,
  isEnded,
  type PermissionEntry,
  type ReplyEntry,
  type ResolvedVia,
  type SessionPhase,
  type SessionUsage,
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
  /** Null only for `instance`, which has no agent. */
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
  /** Null until a turn ends with a usage. */
  readonly usage: SessionUsage | null;
  /** Left out of lists for people. */
  readonly forgotten: boolean;
}

/** For each part of a snapshot, the seq of the last entry that has it; absent if there is none. */
export interface Latest {
  readonly state?: number;
  /** The last `state` that began a run: it has agent, cwd, additional directories and parent. */
  readonly life?: number;
  /** The last `state` of an agent that came up: it has its session id, info, protocol version and capabilities. */
  readonly up?: number;
  readonly options?: number;
  readonly commands?: number;
  readonly plan?: number;
  readonly usage?: number;
  /** Merged from all `info` entries, each of which has only what changed. */
  readonly info: { readonly title?: string | null; readonly updated_at?: string | null };
  /** Options that were set successfully. A resumed session gets them again. */
  readonly chosen: Readonly<Record<string, string | boolean>>;
}

/** What recovery has to end or answer when agentd starts again, so that it need not search the entries. */
export interface OpenItems {
  readonly turns: readonly OpenTurn[];
  readonly requests: readonly LoggedRequest[];
  readonly tools: readonly OpenTool[];
  readonly commands: readonly OpenCommand[];
  /**
   * The `intended` entries of writes. This member and `terminals` are absent if empty, as in rows of an agentd that did
   * not have them.
   */
  readonly writes?: readonly { readonly seq: number }[];
  readonly terminals?: readonly LoggedTerminal[];
}

export interface OpenTurn {
  readonly turn: number;
  readonly phase: "queued" | "started";
  readonly seq: number;
  /** The log has something that the agent said or did in this turn. */
  readonly answered?: true;
  /** The agent was asked to take it into its running turn, and has not answered. */
  readonly steering?: true;
}

export interface LoggedRequest {
  readonly request: string;
  /** `resolved`: it is not known whether the answer was written to the agent. */
  readonly phase: "requested" | "resolved";
  readonly seq: number;
}

/** A terminal that has not both exited and been released. */
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

/** Returns the row of a session without entries. */
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
    usage: null,
    forgotten: false,
  };
}

/**
 * Returns the row after the next entries, which were committed at `at`. Pure. Parts that no entry changed stay the same
 * objects, so that the writer can tell what changed. How the entries are divided into commits makes no difference.
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
  const command: OpenCommand = { seq: draft.last_seq, verb, ...id, ...optionSetBy(entry) };
  draft.open = { ...draft.open, commands: [...draft.open.commands, command] };
}

function optionSetBy({ verb, args: { option, value } }: CommandEntry): Pick<OpenCommand, "sets"> {
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
  // No answer can reach an agent that has ended.
  if (isEnded(entry.state) && draft.open.requests.length > 0) draft.open = { ...draft.open, requests: [] };
}

function foldTurn(draft: Draft, entry: TurnEntry): void {
  const { turn, phase, steering } = entry;
  const others = draft.open.turns.filter((other) => other.turn !== turn);
  const asked = steering === "asked" ? { steering: true as const } : {};
  const turns = phase === "ended" ? others : [...others, { turn, phase, seq: draft.last_seq, ...asked }];
  draft.open = { ...draft.open, turns };
  draft.turns = Math.max(draft.turns, turn);
  if (entry.usage !== undefined) draft.usage = addUsage(draft.usage, entry.usage);
}

function markAnswered(draft: Draft, turn: number | undefined): void {
  const open = draft.open.turns.find((one) => one.turn === turn);
  if (!open || open.answered) return;
  const turns = draft.open.turns.map((one) => (one === open ? { ...open, answered: true as const } : one));
  draft.open = { ...draft.open, turns };
}

/** In ACP, the first update of a tool call has a title, and without a status the call is pending. */
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
      const needsNoAnswer = isEnded(draft.state) || (entry.via !== undefined && unansweredVia.has(entry.via));
      const requests = needsNoAnswer ? others : [...others, { request, phase, seq: draft.last_seq }];
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
  if (entry.phase === "intended") setOpen(draft, { writes: [...writes, { seq: draft.last_seq }] });
  else if (entry.intended !== undefined) setOpen(draft, { writes: writes.filter(({ seq }) => seq !== entry.intended) });
}

function foldTerminal(draft: Draft, entry: TerminalEntry & { readonly turn?: number }): void {
  const { terminal, turn, phase } = entry;
  const { terminals = [] } = draft.open;
  const open = terminals.find((one) => one.terminal === terminal);
  const others = terminals.filter((one) => one !== open);
  switch (phase) {
    case "started":
      return setOpen(draft, { terminals: [...others, turn === undefined ? { terminal } : { terminal, turn }] });
    case "failed":
      return open && setOpen(draft, { terminals: others });
    case "exited":
      return open && setOpen(draft, { terminals: open.released ? others : [...others, { ...open, exited: true }] });
    case "released":
      return open && setOpen(draft, { terminals: open.exited ? others : [...others, { ...open, released: true }] });
    case "killed":
  }
}

function setOpen(draft: Draft, items: Pick<OpenItems, "writes" | "terminals">): void {
  const { writes, terminals, ...others } = { ...draft.open, ...items };
  draft.open = { ...others, ...(writes?.length ? { writes } : {}), ...(terminals?.length ? { terminals } : {}) };
}

/** The agent gets no answer when it withdrew its request or agentd was restarted. */
const unansweredVia: ReadonlySet<ResolvedVia> = new Set(["agent", "restart"]);

function foldInfo(draft: Draft, entry: InfoEntry): void {
  const { name, title, updated_at } = entry;
  if (name !== undefined) draft.name = name;
  if (entry.forgotten !== undefined) draft.forgotten = entry.forgotten;
  const info = {
    ...draft.latest.info,
    ...(title === undefined ? {} : { title }),
    ...(updated_at === undefined ? {} : { updated_at }),
  };
  draft.latest = { ...draft.latest, info };
}
