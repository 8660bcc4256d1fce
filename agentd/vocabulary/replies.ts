// SPDX-License-Identifier: MIT OR Apache-2.0
// What the verbs answer with rc 0.
import type { ErrorBody } from "./errors.ts";
import type {
  AgentInfo,
  CommandsEntry,
  ElicitationAction,
  Entry,
  PermissionChoice,
  PlanEntry,
  SessionOption,
  SessionPhase,
  ToolCallFields,
  TruncatedEntry,
} from "./entries.ts";

/** Every acting command's reply. */
export interface Accepted {
  readonly command_id?: string;
  readonly session: string;
  /** Of the command's own log entry. */
  readonly seq: number;
}

export type StartReply = Accepted & { readonly state: SessionPhase; readonly turn?: number };
export type ResumeReply = Accepted & { readonly state: SessionPhase };
export type PromptReply = Accepted & { readonly turn: number; readonly queued: boolean };
export type CancelReply = Accepted & { readonly turns: readonly number[] };
export type CloseReply = Accepted & { readonly state: SessionPhase };
export type SetConfigReply = Accepted & {
  readonly options: readonly SessionOption[];
  /** As of a session: `options`, where they are too long. */
  readonly left_out?: readonly string[];
};
export type PermissionAnswerReply = Accepted & {
  readonly request: string;
  readonly outcome: "selected" | "cancelled";
  readonly option?: string;
};

export type ElicitationAnswerReply = Accepted & { readonly request: string; readonly outcome: ElicitationAction };

export interface ListedPermission {
  readonly kind: "permission";
  readonly request: string;
  readonly session: string;
  readonly turn?: number;
  /** The agent asks under this session id, which agentd has not opened: a sub-agent's. */
  readonly agent_session?: string;
  /** As the agent has described it up to now. */
  readonly tool_call: ToolCallFields;
  readonly options: readonly PermissionChoice[];
  readonly asked_at: string;
  readonly expires_at: string | null;
  /** Members of `tool_call` that the agent has changed since it asked. The question's entry has it as it was asked. */
  readonly changed?: readonly string[];
  /** Members of `tool_call` that are too long to be shown here. The entries of the question and of its call have them. */
  readonly left_out?: readonly string[];
}

export interface ListedElicitation {
  readonly kind: "elicitation";
  readonly request: string;
  readonly session: string;
  readonly turn?: number;
  readonly agent_session?: string;
  readonly mode: "form" | "url";
  readonly message?: string;
  /** Of a form: ACP's `requestedSchema`, as the agent wrote it. */
  readonly schema?: unknown;
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly tool_call_id?: string;
  readonly asked_at: string;
  readonly expires_at: string | null;
  /** As of a permission: members of the elicitation itself. */
  readonly left_out?: readonly string[];
}

export interface SessionSummary {
  readonly session: string;
  readonly name?: string;
  readonly agent: string;
  readonly cwd: string;
  readonly state: SessionPhase;
  readonly reason?: string;
  readonly title?: string;
  readonly parent?: string;
  readonly turns: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seq: number;
}

export interface SessionSnapshot extends SessionSummary {
  readonly log: string;
  /** `<log>/<session>/<last_seq>`: follow from here. */
  readonly cursor: string;
  readonly error?: ErrorBody;
  readonly policy?: string;
  readonly additional_dirs: readonly string[];
  readonly agent_info: AgentInfo | null;
  readonly protocol_version: number | null;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly agent_session_id: string | null;
  readonly running: { readonly turn: number; readonly state: "running" | "cancelling" | "draining" } | null;
  readonly queued: readonly { readonly turn: number }[];
  readonly options: readonly SessionOption[];
  readonly commands: CommandsEntry["commands"];
  readonly plan: PlanEntry["entries"];
  readonly requests: readonly (ListedPermission | ListedElicitation)[];
  readonly usage: { readonly used: number | null; readonly size: number | null } | null;
  readonly children: readonly string[];
  /**
   * Questions that were refused or cancelled because nobody answered in time, among the last 20,000 entries; absent where
   * there are none.
   */
  readonly unanswered?: { readonly permissions: number; readonly elicitations: number };
  /** Members that are empty here because they are too long. Their entries in the log have them. */
  readonly left_out?: readonly string[];
}

export interface SessionListReply {
  readonly sessions: readonly SessionSummary[];
  /** Give it as `after` for the next page; absent on the last. */
  readonly next?: string;
}

export interface LogPage {
  readonly log: string;
  readonly session: string;
  readonly entries: readonly (Entry | TruncatedEntry)[];
  /** Cursor after the page; absent when nothing is left. */
  readonly next?: string;
  readonly last_seq: number;
}

export interface LogPiece {
  readonly session: string;
  readonly entry: number;
  readonly offset: number;
  readonly bytes: number;
  /** UTF-8 text of the entry's JSON, cut at a character. */
  readonly text: string;
  readonly total: number;
}

export interface WaitReply {
  readonly session: string;
  readonly state: SessionPhase;
  readonly reason?: string;
  readonly error?: ErrorBody;
  readonly last_seq: number;
  /** The one that was waited for, or absent with `timed_out`. */
  readonly until?: "idle" | "waiting" | "ended";
  readonly timed_out: boolean;
}

export interface CatalogueReply {
  readonly agents: readonly CatalogueEntry[];
}

/** An agent as it stands in the catalogue; nothing was started to learn it. */
export interface CatalogueEntry {
  readonly agent: string;
  readonly title: string;
  readonly command: readonly string[];
  readonly built_in: boolean;
  readonly installed: boolean;
  /** Of its package, where that can be told without starting it. */
  readonly version?: string;
  /** What is wrong, where it cannot be started. */
  readonly problem?: string;
  /** How to get it, where it cannot be started. */
  readonly install?: string;
  /** How a person logs in; whether one is logged in, only the agent knows. */
  readonly login?: string;
}

export interface StatusReply {
  readonly pid: number;
  readonly version: string;
  /** Tells two builds of one version apart; absent where agentd runs from its source. */
  readonly build?: string | undefined;
  /**
   * What is installed now where agentd was started from, where that is another build: the one that runs stays until it is
   * started again. Null where nothing is there any more.
   */
  readonly installed?: { readonly version: string; readonly build?: string | undefined } | null;
  readonly started_at: string;
  readonly bus: {
    readonly url: string;
    readonly embedded: boolean;
    readonly state: string;
    readonly generation: number;
  };
  readonly log: {
    readonly id: string;
    readonly file: string;
    readonly bytes: number;
    /** Why nothing can be logged, and so nothing is run. */
    readonly error?: string;
  };
  readonly config: { readonly file: string; readonly loaded: boolean; readonly error?: string };
  readonly limits: readonly {
    readonly name: string;
    /** Null: none. */
    readonly value: number | null;
    readonly unit: string;
    readonly description: string;
  }[];
  readonly sessions: { readonly live: number; readonly max: number };
  /**
   * The service that asks people: its name, or null where the configuration has none; and whether it is on the Bus. An
   * older agentd does not say.
   */
  readonly people?: { readonly service: string | null; readonly state: "off" | "away" | "there" };
}

export interface PermissionListReply {
  readonly requests: readonly ListedPermission[];
  /** There are others, which did not fit: `session` or `request` narrow it down. */
  readonly more?: true;
}

export interface ElicitationListReply {
  readonly requests: readonly ListedElicitation[];
  /** As of permissions. */
  readonly more?: true;
}

export interface PolicyTestReply {
  readonly policy: string;
  /** `ask`: a person is asked. */
  readonly outcome: "allow_once" | "ask";
  readonly option?: string;
  /** Its number in the policy, from 1. */
  readonly rule?: number;
  readonly why: string;
}

export interface PurgeReply extends Partial<Accepted> {
  readonly session: string;
  /** Removed, or with `dry_run` what would be. */
  readonly entries: number;
}

export interface PruneReply extends Partial<Accepted> {
  readonly sessions: readonly string[];
  readonly entries: number;
}

export interface RedactReply extends Partial<Accepted> {
  readonly entries: number;
  readonly receipts: number;
  readonly literals: number;
  readonly sessions: number;
  /** Older copies of the log, by name, that were deleted. */
  readonly copies: readonly string[];
}

export interface VerifyReply {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly sessions: number;
  readonly entries: number;
  readonly redacted_commits: number;
}

export interface StatsReply {
  readonly file_bytes: number;
  readonly write_ahead_bytes: number;
  readonly used_bytes: number;
  readonly free_bytes: number;
  readonly quota_bytes: number;
  readonly sessions: number;
  readonly ended: number;
  readonly purged: number;
  readonly entries: number;
  readonly fullest: readonly { readonly session: string; readonly entries: number; readonly updated_at: string }[];
}
