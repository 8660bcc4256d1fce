// SPDX-License-Identifier: MIT OR Apache-2.0
// The entries of the log, which the topic `agent.session.updated` also carries. Members of our own are snake_case.
// ACP's content blocks, tool call content and locations stay as the agent wrote them.
import type { ErrorBody } from "./errors.ts";
import type { Cost, TurnUsage } from "./usage.ts";

export const topic = "agent.session.updated";
export const service = "agent";
/** Name of the MCP server that agentd gives to every agent. The name is reserved. */
export const busToolsName = "mixos";

/** The session that logs what concerns no other session. */
export const instanceSession = "instance";

export const livePhases = ["starting", "idle", "running", "waiting", "closing"] as const;
export const endedPhases = ["closed", "lost", "failed"] as const;
export const sessionPhases = [...livePhases, ...endedPhases] as const;
export type SessionPhase = (typeof sessionPhases)[number];
export type EndedPhase = (typeof endedPhases)[number];

export function isEnded(phase: SessionPhase | null): phase is EndedPhase {
  return endedPhases.some((ended) => ended === phase);
}

export interface EntryHead {
  /** Identity of the log file. */
  readonly log: string;
  readonly session: string;
  /** Numbers the session's entries from 1, without gaps. */
  readonly seq: number;
  /** UTC, RFC 3339 with milliseconds. Only `seq` gives the order. */
  readonly at: string;
}

export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** `session/resume` or `session/load` of ACP; `fresh`: a new session of the agent, which gets the transcript. */
export type ResumeMethod = "resume" | "load" | "fresh";

export type Origin = "local" | "mesh" | "agentd";

export interface PermissionChoice {
  readonly option: string;
  readonly name: string;
  readonly kind: string;
}

export const finalToolStatuses: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

export interface ToolCallFields {
  readonly tool_call_id: string;
  readonly title?: string | null;
  readonly name?: string | null;
  /** ACP's `kind`: read, edit, delete, move, search, execute, think, fetch, switch_mode, other. */
  readonly tool_kind?: string | null;
  readonly status?: string | null;
  readonly content?: readonly unknown[] | null;
  readonly locations?: readonly unknown[] | null;
  readonly raw_input?: unknown;
  readonly raw_output?: unknown;
  /** The tool call that started the sub-agent whose call this is, if the agent tells. */
  readonly parent_tool_call_id?: string | null;
  readonly _meta?: unknown;
}

/** The members that describe a tool call, and what a permission request is about. */
export const requestMembers = [
  "title",
  "name",
  "tool_kind",
  "status",
  "content",
  "locations",
  "raw_input",
  "parent_tool_call_id",
] as const satisfies readonly (keyof ToolCallFields)[];

/** What a tool call is about, for people: its title, with the tool's name before it unless the title says it. */
export function titleWithName({ title, name }: Pick<ToolCallFields, "title" | "name">): string | undefined {
  if (!title || !name || title.includes(name)) return title || name || undefined;
  return `${name}: ${title}`;
}

/**
 * Recognizes ACP's `tool_call`, which always has these three members, at least by default. An update has no reason to
 * send them all.
 */
export function isAnnouncement(title: unknown, kind: unknown, status: unknown): boolean {
  return typeof title === "string" && typeof kind === "string" && typeof status === "string";
}

export interface SessionOption {
  readonly option: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly type: "select" | "boolean";
  readonly value: string | boolean;
  readonly choices?: readonly {
    readonly value: string;
    readonly name: string;
    readonly description?: string | null;
    readonly group?: string;
  }[];
}

export interface AgentInfo {
  readonly name: string;
  readonly title?: string | null;
  readonly version: string;
}

/** `notify`: a person answered through the service `notify`. */
export type ResolvedVia = "notify" | "policy" | "timeout" | "cancel" | "agent" | "end" | "restart";
/** `unknown`: agentd died between the commit and the write to the agent. */
export type Sent = boolean | "unknown";

export interface CommandEntry {
  readonly kind: "command";
  readonly verb: string;
  readonly command_id?: string;
  /** The sender's name as the broker stamped it; null for an unregistered sender. */
  readonly by: string | null;
  readonly origin: Origin;
  /** Without secret values, and without a prompt's text, which is in the `message` entries of the same commit. */
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ReplyEntry {
  readonly kind: "reply";
  readonly verb: string;
  readonly command_id?: string;
  /** `seq` of the command that it answers. */
  readonly command_seq: number;
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StateEntry {
  readonly kind: "state";
  readonly state: SessionPhase;
  readonly reason?: string;
  readonly error?: ErrorBody;
  /** How the agent was resumed. Set on the entry that reports it as up again. */
  readonly resumed?: ResumeMethod;
  /** This member and those up to `policy` are set on the first entry of a run. */
  readonly agent?: string;
  /** The program and arguments of an agent that is not in the catalogue. */
  readonly command?: readonly string[];
  readonly name?: string;
  readonly cwd?: string;
  readonly additional_dirs?: readonly string[];
  readonly parent?: string;
  /** Names of the environment variables that the start passed on. */
  readonly env?: readonly string[];
  readonly policy?: string;
  /** This member and the rest are set once the agent is up. */
  readonly agent_session_id?: string;
  readonly agent_info?: AgentInfo | null;
  readonly protocol_version?: number;
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** Identifies the agent's process after a restart. A pid alone can be reused. */
  readonly process?: { readonly pid: number; readonly start_time: string; readonly boot_id: string };
}

/**
 * `asked`: the agent was asked to take the prompt into its running turn. `injected`: that turn has it. `startedNewTurn`: the
 * agent began a turn of its own, which agentd cannot follow. `promptRequired`, `failed`: it did neither, and the prompt waits.
 */
export type Steering = "asked" | "injected" | "startedNewTurn" | "promptRequired" | "failed";

export interface TurnEntry {
  readonly kind: "turn";
  readonly turn: number;
  readonly phase: "queued" | "started" | "ended";
  /**
   * ACP's stop reason unchanged, or `interrupted`, `failed` or `steered`; `cancelled` if a person cancelled the turn, whatever the
   * agent answered.
   */
  readonly stop_reason?: string;
  readonly sent?: Sent;
  readonly forced?: true;
  /** With `queued` and `ended`, of a prompt that was sent with `when_busy: steer`. */
  readonly steering?: Steering;
  /** With `injected`: the turn that has taken the prompt in. */
  readonly into?: number;
  readonly error?: ErrorBody;
  /** Logs of before 2026-12 have ACP's object here, with names in camelCase. */
  readonly usage?: TurnUsage;
}

export interface MessageEntry {
  readonly kind: "message";
  readonly role: "user" | "agent" | "thought";
  readonly message_id: string;
  readonly content: ContentBlock;
  readonly append?: true;
  /** Number of chunks of one batch that were merged into this entry. */
  readonly chunks?: number;
  /** The tool call that started the sub-agent whose message this is, if the agent tells. */
  readonly parent_tool_call_id?: string;
  readonly _meta?: unknown;
}

export interface ToolCallEntry extends ToolCallFields {
  readonly kind: "tool_call";
  readonly closed_by?: "agentd";
  /**
   * Replaces `content` or `raw_output` when the agent resent it and its texts only grew: the appended parts. An earlier
   * entry of this call has the full value, to which all growths since then are to be applied.
   */
  readonly grow?: readonly TextGrowth[];
}

export interface TextGrowth {
  /** Path from the entry down to the text: `["content", 0, "content", "text"]`. */
  readonly path: readonly (string | number)[];
  /**
   * Length of the text before it grew, in UTF-16 code units, as the agent sent it. Append to the text's end even where
   * its length differs: a redaction may have changed it since.
   */
  readonly at: number;
  readonly text: string;
}

export interface PlanEntry {
  readonly kind: "plan";
  readonly plan_id: string;
  readonly entries: readonly { readonly content: string; readonly priority: string; readonly status: string }[];
}

export interface CommandsEntry {
  readonly kind: "commands";
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

export interface OptionsEntry {
  readonly kind: "options";
  readonly options: readonly SessionOption[];
}

export interface InfoEntry {
  readonly kind: "info";
  /** The session's new name, given by `agent.session.rename`; null: it has none any more. */
  readonly name?: string | null;
  /** People do not want to see the session in lists any more: `agent.session.forget`. */
  readonly forgotten?: boolean;
  /** This member and the rest come from the agent. */
  readonly title?: string | null;
  readonly updated_at?: string | null;
}

export interface UsageEntry {
  readonly kind: "usage";
  readonly used: number | null;
  readonly size: number | null;
  /** What the agent's session has cost so far. */
  readonly cost?: Cost | null;
}

export interface NoticeEntry {
  readonly kind: "notice";
  readonly severity: string;
  readonly title: string;
  readonly description?: string | null;
}

export interface CompactionEntry {
  readonly kind: "compaction";
  readonly compaction_id: string;
  readonly status?: string;
  readonly summary?: readonly ContentBlock[] | null;
  readonly append?: ContentBlock;
  readonly error?: string | null;
}

/** `unsent`: the agent was gone before the answer could be written to it. */
export type AnswerPhase = "sent" | "unsent";

/** The members that the entries of permissions and elicitations share. */
interface RequestEntry {
  readonly request: string;
  /** With `sent`: agentd died before it could log whether the answer was written to the agent. */
  readonly sent?: "unknown";
  /** With `requested`: the agent's session id of the request, when it is not the one that agentd opened. */
  readonly agent_session?: string;
  readonly now?: string;
  /** Null: never. */
  readonly expires_at?: string | null;
  readonly notified?: boolean;
  /** What resolved the request. A person who answered over the Bus is named by `by` instead. */
  readonly via?: ResolvedVia;
  readonly by?: string | null;
  /** With `requested`: why the session's policy left the decision to a person. */
  readonly why?: string;
}

export interface PermissionEntry extends RequestEntry {
  readonly kind: "permission";
  /** `changed`: the agent updated the tool call while the request was pending. */
  readonly phase: "requested" | "changed" | "resolved" | AnswerPhase;
  /** With `requested`: the request's members, merged over all earlier updates of the tool call. */
  readonly tool_call?: ToolCallFields;
  /** With `requested`: the title of the tool call that started the sub-agent which asks, or its id. */
  readonly sub_agent?: string;
  /** Members of `tool_call` that come from earlier updates, not from the request. */
  readonly said_before?: readonly string[];
  /** Members from earlier updates that are too long to repeat here. Earlier entries of the call have them. */
  readonly left_out?: readonly string[];
  /** With `changed`: the members that one update changed. With `resolved`: all that changed since the request. */
  readonly changed?: readonly string[];
  readonly options?: readonly PermissionChoice[];
  /** Set with `resolved`. */
  readonly outcome?: "selected" | "cancelled";
  readonly option?: string;
}

export type ElicitationAction = "accept" | "decline" | "cancel";

export interface ElicitationEntry extends RequestEntry {
  readonly kind: "elicitation";
  readonly phase: "requested" | "resolved" | AnswerPhase;
  /** This member and those up to `tool_call_id` are set with `requested`. */
  readonly mode?: "form" | "url";
  readonly message?: string;
  /** ACP's `requestedSchema` of a form, as the agent wrote it. */
  readonly schema?: unknown;
  /** Shown to people in full. agentd never fetches it. */
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly tool_call_id?: string;
  /** Set with `resolved`. */
  readonly outcome?: ElicitationAction;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** An agent's `fs/*` request. A write that stays `intended` was cut off by the death of agentd. */
export interface FileEntry {
  readonly kind: "file";
  readonly op: "read" | "write";
  /** As the agent wrote it. */
  readonly path: string;
  readonly phase: "intended" | "done" | "refused";
  /** UTF-8 bytes that were read, or that are to be written. */
  readonly bytes?: number;
  /** The editor that read or wrote it under its lease or, with `intended`, is to write it; absent: agentd itself. */
  readonly citizen?: string;
  /** With the end of a write: `seq` of its `intended` entry. */
  readonly intended?: number;
  /**
   * With `refused`: a code from a fixed table; `message` is what the agent was told. With `done`: why the agent got
   * something other than the file's text (`missing`: its quirk takes a missing file for an empty one).
   */
  readonly reason?: string;
  readonly message?: string;
}

export interface TerminalEntry {
  readonly kind: "terminal";
  /** Unique within the session. */
  readonly terminal: string;
  readonly phase: "started" | "failed" | "exited" | "killed" | "released";
  /** This member and those up to `env` are set with `started`, and with a `failed` that had no `started`. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Names of the environment variables that the agent set. Their values are not logged. */
  readonly env?: readonly string[];
  /** With `started`: the editor that is asked to run it under its lease; absent: agentd itself. */
  readonly citizen?: string;
  /** Set with `failed`. */
  readonly message?: string;
  /** This member and the rest are set with `exited`. Exit code and signal are both null when the end was not observed. */
  readonly exit_code?: number | null;
  readonly signal?: string | null;
  /** The last part of the output. */
  readonly tail?: string;
  readonly truncated?: boolean;
}

export interface ExtensionEntry {
  readonly kind: "extension";
  readonly method: string;
  readonly data: unknown;
}

export interface DiagnosticEntry {
  readonly kind: "diagnostic";
  readonly what: string;
  readonly message: string;
  /** The permission or elicitation that the diagnostic is about. */
  readonly request?: string;
  readonly sample?: string;
  readonly count?: number;
  /** With `model-silent`: since when, as `at`. */
  readonly since?: string;
}

/** An entry before the log adds its head. */
export type EntryContent = (
  | CommandEntry
  | ReplyEntry
  | StateEntry
  | TurnEntry
  | MessageEntry
  | ToolCallEntry
  | PlanEntry
  | CommandsEntry
  | OptionsEntry
  | InfoEntry
  | UsageEntry
  | NoticeEntry
  | CompactionEntry
  | PermissionEntry
  | ElicitationEntry
  | FileEntry
  | TerminalEntry
  | ExtensionEntry
  | DiagnosticEntry
) & {
  readonly turn?: number;
  /** The entry arrived after its turn had ended. */
  readonly late?: true;
};

export type EntryKind = EntryContent["kind"];

export const entryKinds = [
  "command",
  "reply",
  "state",
  "turn",
  "message",
  "tool_call",
  "plan",
  "commands",
  "options",
  "info",
  "usage",
  "notice",
  "compaction",
  "permission",
  "elicitation",
  "file",
  "terminal",
  "extension",
  "diagnostic",
] as const satisfies readonly EntryKind[];
export type Entry = EntryHead & EntryContent;

/** Stands for an entry of over 1 MiB. Read it with `entry`, `offset` and `bytes` of agent.session.log. */
export interface TruncatedEntry {
  readonly log?: string;
  readonly session?: string;
  readonly seq: number;
  readonly kind: EntryKind;
  readonly truncated: true;
  readonly bytes: number;
}

/** The end of a terminal has a member `truncated` too. */
export function isTruncated(entry: Entry | TruncatedEntry): entry is TruncatedEntry {
  return "truncated" in entry && "bytes" in entry;
}

/** The body of one publication: an entry, or the entries of one commit. */
export type Publication =
  | Entry
  | TruncatedEntry
  | {
      readonly log: string;
      readonly session: string;
      readonly seq_from: number;
      readonly seq: number;
      readonly entries: readonly Entry[];
    };
