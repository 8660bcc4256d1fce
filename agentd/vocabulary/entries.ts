// SPDX-License-Identifier: MIT OR Apache-2.0
// What the log holds and the topic `agent.session.updated` carries. Members of our own are snake_case; ACP's content
// blocks, tool call content and locations are carried as the agent wrote them.
import type { ErrorBody } from "./errors.ts";

export const topic = "agent.session.updated";
export const service = "agent";
/** The MCP server that every session's agent is given; no other may be named so. */
export const busToolsName = "mixos";

/** The session in which is logged what concerns no session. */
export const instanceSession = "instance";

export type SessionPhase = "starting" | "idle" | "running" | "waiting" | "closing" | "closed" | "lost" | "failed";
export const livePhases = [
  "starting",
  "idle",
  "running",
  "waiting",
  "closing",
] as const satisfies readonly SessionPhase[];
export type LivePhase = (typeof livePhases)[number];

export interface EntryHead {
  /** Identity of the log file. */
  readonly log: string;
  readonly session: string;
  /** From 1, without a gap, in its session. */
  readonly seq: number;
  /** UTC, RFC 3339, milliseconds. Order is `seq` alone. */
  readonly at: string;
}

export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** By its own resume, by its own load, or as a new session of the agent that is told the transcript. */
export type ResumeMethod = "resume" | "load" | "fresh";

export type Origin = "local" | "mesh" | "agentd";

export interface PermissionChoice {
  readonly option: string;
  readonly name: string;
  readonly kind: string;
}

/** A tool call with one of these has ended. */
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
  readonly _meta?: unknown;
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

/** `notify`: a person, whom the citizen `notify` asked. */
export type ResolvedVia = "notify" | "policy" | "timeout" | "cancel" | "agent" | "end" | "restart";
/** `unknown`: agentd died between the commit and the write. */
export type Sent = boolean | "unknown";

export interface CommandEntry {
  readonly kind: "command";
  readonly verb: string;
  readonly command_id?: string;
  /** The name that the broker stamped, or null. */
  readonly by: string | null;
  readonly origin: Origin;
  /** Without a prompt's text (it is in the `message` entries of the same commit) and without secret values. */
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ReplyEntry {
  readonly kind: "reply";
  readonly verb: string;
  readonly command_id?: string;
  /** `seq` of the command it answers. */
  readonly command_seq: number;
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StateEntry {
  readonly kind: "state";
  readonly state: SessionPhase;
  readonly reason?: string;
  readonly error?: ErrorBody;
  /** With the entry that says that the agent has come up again: by which way. */
  readonly resumed?: ResumeMethod;
  /** With the first entry of a life. */
  readonly agent?: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly additional_dirs?: readonly string[];
  readonly parent?: string;
  /** Names of the variables that the start passed on. */
  readonly env?: readonly string[];
  readonly policy?: string;
  /** When the agent has come up. */
  readonly agent_session_id?: string;
  readonly agent_info?: AgentInfo | null;
  readonly protocol_version?: number;
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** The child, so that it can be found again: never by pid alone. */
  readonly process?: { readonly pid: number; readonly start_time: string; readonly boot_id: string };
}

export interface TurnEntry {
  readonly kind: "turn";
  readonly turn: number;
  readonly phase: "queued" | "started" | "ended";
  /** ACP's as it came, or `interrupted`, `failed`. */
  readonly stop_reason?: string;
  readonly sent?: Sent;
  readonly forced?: true;
  readonly error?: ErrorBody;
  readonly usage?: unknown;
}

export interface MessageEntry {
  readonly kind: "message";
  readonly role: "user" | "agent" | "thought";
  readonly message_id: string;
  readonly content: ContentBlock;
  readonly append?: true;
  /** How many chunks of one burst this is. */
  readonly chunks?: number;
  readonly _meta?: unknown;
}

export interface ToolCallEntry extends ToolCallFields {
  readonly kind: "tool_call";
  readonly closed_by?: "agentd";
  /**
   * In the place of `content` or `raw_output`, where the agent sent it again and nothing but texts in it grew: what came
   * to them. It stands whole in an earlier entry of this call, which the growths since then go on.
   */
  readonly grow?: readonly TextGrowth[];
}

export interface TextGrowth {
  /** From the entry's member down to the text: `["content", 0, "content", "text"]`. */
  readonly path: readonly (string | number)[];
  /**
   * UTF-16 code units of the text before it grew, as the agent sent it. A redaction can have changed that text since:
   * the new part goes to its end all the same.
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
  readonly title?: string | null;
  readonly updated_at?: string | null;
}

export interface UsageEntry {
  readonly kind: "usage";
  readonly used: number | null;
  readonly size: number | null;
  readonly cost?: { readonly amount: number; readonly currency: string } | null;
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

/** `unsent`: the answer was never written to the agent, which was gone. */
export type AnswerPhase = "sent" | "unsent";

export interface PermissionEntry {
  readonly kind: "permission";
  readonly request: string;
  /** `changed`: the agent has said something else of the tool call while the question was open. */
  readonly phase: "requested" | "changed" | "resolved" | AnswerPhase;
  /** With `sent`, where agentd died before it could log whether the answer was written to the agent. */
  readonly sent?: "unknown";
  /** With `requested`: the agent asks under this session id, which agentd has not opened. */
  readonly agent_session?: string;
  /** With `requested`: the request's own words on top of all that the agent had said of the call before. */
  readonly tool_call?: ToolCallFields;
  /** Members of `tool_call` that do not stand in the request itself. */
  readonly said_before?: readonly string[];
  /** Members that were said before and are too long to be said again here: earlier entries of the call have them. */
  readonly left_out?: readonly string[];
  /** With `changed`: by one update. With `resolved`: all that was changed after the question was asked. */
  readonly changed?: readonly string[];
  readonly options?: readonly PermissionChoice[];
  readonly now?: string;
  /** Null: waits for a person for ever. */
  readonly expires_at?: string | null;
  readonly notified?: boolean;
  /** With `resolved`. */
  readonly outcome?: "selected" | "cancelled";
  readonly option?: string;
  /** What answered where it was no person; else `by` names who did. */
  readonly via?: ResolvedVia;
  readonly by?: string | null;
  /** Also with `requested`: why the session's policy left it to a person. */
  readonly why?: string;
}

export type ElicitationAction = "accept" | "decline" | "cancel";

export interface ElicitationEntry {
  readonly kind: "elicitation";
  readonly request: string;
  readonly phase: "requested" | "resolved" | AnswerPhase;
  /** As of a permission; so is `agent_session`. */
  readonly sent?: "unknown";
  readonly agent_session?: string;
  /** With `requested`. */
  readonly mode?: "form" | "url";
  readonly message?: string;
  /** Of a form: ACP's `requestedSchema`, as the agent wrote it. */
  readonly schema?: unknown;
  /** Shown in full, never fetched. */
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly tool_call_id?: string;
  readonly now?: string;
  readonly expires_at?: string | null;
  readonly notified?: boolean;
  /** With `resolved`. */
  readonly outcome?: ElicitationAction;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly via?: ResolvedVia;
  readonly by?: string | null;
  readonly why?: string;
}

/** What an agent asked of us with its files. A write that was `intended` is done, refused, or its agentd died over it. */
export interface FileEntry {
  readonly kind: "file";
  readonly op: "read" | "write";
  /** As the agent asked for it. */
  readonly path: string;
  readonly phase: "intended" | "done" | "refused";
  /** UTF-8 bytes that were handed over, or are to be written. */
  readonly bytes?: number;
  /** With the end of a write: `seq` of the entry that intended it. */
  readonly intended?: number;
  /**
   * With `refused`: a word of a fixed table, and what the agent was told. With `done`: why what it got is not the file's
   * text (`missing`: the agent takes a file that is not there for an empty one).
   */
  readonly reason?: string;
  readonly message?: string;
}

export interface TerminalEntry {
  readonly kind: "terminal";
  /** Unique in its session. */
  readonly terminal: string;
  readonly phase: "started" | "failed" | "exited" | "killed" | "released";
  /** With `started`, and with a `failed` that nothing started before. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Names of the variables that the agent set; values are not logged. */
  readonly env?: readonly string[];
  /** With `failed`. */
  readonly message?: string;
  /** With `exited`. Both null: nobody saw how it ended. */
  readonly exit_code?: number | null;
  readonly signal?: string | null;
  /** The end of its output. */
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
  /** The permission or elicitation that it is about. */
  readonly request?: string;
  readonly sample?: string;
  readonly count?: number;
}

/** An entry before the log stamps its head. */
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
  /** It came when its turn had ended. */
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

/** An entry too big for a page (over 1 MiB): read it by `entry`, `offset`, `bytes`. */
export interface TruncatedEntry {
  readonly log?: string;
  readonly session?: string;
  readonly seq: number;
  readonly kind: EntryKind;
  readonly truncated: true;
  readonly bytes: number;
}

/** What one publication carries. */
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
