// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs' replies with rc 0.
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
import type { Cost, SessionUsage } from "./usage.ts";

/** The members that the reply of every acting command has. */
export interface Accepted {
  readonly command_id?: string;
  readonly session: string;
  /** `seq` of the command's entry. */
  readonly seq: number;
}

export type StartReply = Accepted & { readonly state: SessionPhase; readonly turn?: number };
export type ResumeReply = Accepted & { readonly state: SessionPhase };
export type PromptReply = Accepted & {
  readonly turn: number;
  readonly queued: boolean;
  /** With `when_busy: steer`: whether the agent is asked to take the prompt into its running turn. A `turn` entry follows. */
  readonly steering?: boolean;
};
export type CancelReply = Accepted & { readonly turns: readonly number[] };
export type CloseReply = Accepted & { readonly state: SessionPhase };
/** `name` is empty if the session has none any more. */
export type RenameReply = Accepted & { readonly name: string };
export type ForgetReply = Accepted & { readonly forgotten: true };
export type SetConfigReply = Accepted & {
  readonly options: readonly SessionOption[];
  /** `["options"]` if the options are too long and empty here. The log has them. */
  readonly left_out?: readonly string[];
};
export type PermissionAnswerReply = Accepted & {
  readonly request: string;
  readonly outcome: "selected" | "cancelled";
  readonly option?: string;
};

export type ElicitationAnswerReply = Accepted & { readonly request: string; readonly outcome: ElicitationAction };

interface ListedRequest {
  readonly request: string;
  readonly session: string;
  readonly turn?: number;
  /** The agent's session id of the request, when it is not the one that agentd opened: a sub-agent's. */
  readonly agent_session?: string;
  readonly asked_at: string;
  readonly expires_at: string | null;
  /** Members of the tool call or of the elicitation that are omitted here as too long. The log has them. */
  readonly left_out?: readonly string[];
}

export interface ListedPermission extends ListedRequest {
  readonly kind: "permission";
  /** Includes all updates up to now. */
  readonly tool_call: ToolCallFields;
  /** The title of the tool call that started the sub-agent which asks, or its id. */
  readonly sub_agent?: string;
  readonly options: readonly PermissionChoice[];
  /** Members of `tool_call` that the agent changed after the request. The request's entry has the original. */
  readonly changed?: readonly string[];
}

export interface ListedElicitation extends ListedRequest {
  readonly kind: "elicitation";
  readonly mode: "form" | "url";
  readonly message?: string;
  /** ACP's `requestedSchema` of a form, as the agent wrote it. */
  readonly schema?: unknown;
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly tool_call_id?: string;
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
  /** Left out of lists unless they are asked for it. */
  readonly forgotten?: true;
  readonly turns: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seq: number;
}

export interface SessionSnapshot extends SessionSummary {
  readonly log: string;
  /** `<log>/<session>/<last_seq>`: the snapshot is up to date with the log up to here. */
  readonly cursor: string;
  readonly error?: ErrorBody;
  /** The program and arguments of an agent that is not in the catalogue. */
  readonly command?: readonly string[];
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
  /** `cost` is what the agent's session has cost so far; absent if the agent did not say it. */
  readonly usage: { readonly used: number | null; readonly size: number | null; readonly cost?: Cost } | null;
  /** The sum over the session's turns; absent if the agent reported nothing. */
  readonly usage_total?: SessionUsage;
  readonly children: readonly string[];
  /** Requests that nobody answered in time, among the session's last 20,000 entries; absent if there are none. */
  readonly unanswered?: { readonly permissions: number; readonly elicitations: number };
  /** Members that are empty here as too long. Their entries in the log have them. */
  readonly left_out?: readonly string[];
}

export interface AttachReply {
  readonly session: string;
  readonly snapshot: SessionSnapshot;
}

export interface DetachReply {
  readonly session: string;
  /** False if there was no lease. */
  readonly detached: boolean;
}

export interface SessionListReply {
  readonly sessions: readonly SessionSummary[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
}

export interface LogPage {
  readonly log: string;
  readonly session: string;
  readonly entries: readonly (Entry | TruncatedEntry)[];
  /** Cursor for the next page, as `after`; absent if nothing is left. */
  readonly next?: string;
  /** With `before` and no `after`: cursor for the page before this one, as `before`; absent if nothing is left. */
  readonly previous?: string;
  readonly last_seq: number;
}

export interface LogPiece {
  readonly session: string;
  readonly entry: number;
  readonly offset: number;
  readonly bytes: number;
  /** A part of the entry's JSON, cut between characters. `offset`, `bytes` and `total` count its UTF-8 bytes. */
  readonly text: string;
  readonly total: number;
}

export interface WaitReply {
  readonly session: string;
  readonly state: SessionPhase;
  readonly reason?: string;
  readonly error?: ErrorBody;
  readonly last_seq: number;
  /** The condition that was met; absent with `timed_out`. */
  readonly until?: "idle" | "waiting" | "ended";
  readonly timed_out: boolean;
}

export interface CatalogueReply {
  readonly agents: readonly CatalogueEntry[];
}

/** An agent of the catalogue, as far as can be told without starting it. */
export interface CatalogueEntry {
  readonly agent: string;
  readonly title: string;
  readonly command: readonly string[];
  readonly built_in: boolean;
  readonly installed: boolean;
  /** The program that was found; `from` says where, of a built-in agent that is published as an npm package. */
  readonly file?: string;
  /** On PATH, among npm's global packages, or installed by agentd. */
  readonly from?: "path" | "npm" | "agentd";
  readonly version?: string;
  readonly problem?: string;
  /** What the agent is known not to take. What is in no list may still be refused by the agent. */
  readonly lacks?: readonly AgentIntake[];
  /** What may keep an installed agent from working. */
  readonly warning?: string;
  /** How to install the agent, if it cannot be started or what it needs is missing. */
  readonly install?: string;
  /** How a person logs in. Only the agent knows whether anyone is logged in. */
  readonly login?: string;
  /** Environment variables, any of which can hold a key. */
  readonly key_variables?: readonly string[];
  /**
   * The file in which an installed agent usually keeps a login, by its own variables, and whether it is there. Absent of an
   * agent that has a key and no login, and of one that is not known.
   */
  readonly login_file?: string;
  readonly login_stored?: boolean;
}

/** Content of a prompt, MCP servers by their transport, and the directories of a session besides its `cwd`. */
export type AgentIntake = "image" | "audio" | "embedded_context" | "mcp_http" | "mcp_sse" | "additional_dirs";

export interface LoginMethod {
  readonly method: string;
  readonly name: string;
  readonly description?: string;
  /** `terminal`: a person runs a command. `env_var`: the agent needs `variables`. `agent`: the agent does it. */
  readonly type: "agent" | "terminal" | "env_var";
  readonly variables?: readonly string[];
}

/** What came of `agent.login`, or what a person has to do. */
export interface LoginReply {
  readonly agent: string;
  readonly method?: string;
  readonly done: boolean;
  /** No method was given: these are there. */
  readonly methods?: readonly LoginMethod[];
  /** The command to run in a terminal; exit code 0 means that it is done. */
  readonly run?: { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  /** The variables to set for the agent. */
  readonly variables?: readonly string[];
  /**
   * The page to visit, the `nth` of this login from 1. The login goes on meanwhile: call again with the same method, and
   * with `nth` as `visits`.
   */
  readonly visit?: { readonly nth: number; readonly url: string; readonly message: string };
  /** The login goes on: call again with the same method. */
  readonly pending?: boolean;
}

export interface StatusReply {
  readonly pid: number;
  readonly version: string;
  /** Tells two builds of one version apart; absent when agentd runs from source. */
  readonly build?: string | undefined;
  /**
   * The build that is now installed in the place of the running one, which stays until agentd is restarted; null if
   * nothing is installed there any more. Absent if it is the same build.
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
    /** Why nothing can be logged. Until that is mended, nothing is run. */
    readonly error?: string;
  };
  readonly config: { readonly file: string; readonly loaded: boolean; readonly error?: string };
  readonly limits: readonly {
    readonly name: string;
    /** Null: no limit. */
    readonly value: number | null;
    readonly unit: string;
    readonly description: string;
  }[];
  readonly sessions: { readonly live: number; readonly max: number };
  /**
   * The service that asks people, null if the configuration has none, and whether it is on the Bus. Absent from an older
   * agentd.
   */
  readonly people?: { readonly service: string | null; readonly state: "off" | "away" | "there" };
}

interface RequestListReply<R extends ListedRequest> {
  readonly requests: readonly R[];
  /** More requests are pending than fit in the reply. Narrow the list with `session` or `request`. */
  readonly more?: true;
}

export type PermissionListReply = RequestListReply<ListedPermission>;
export type ElicitationListReply = RequestListReply<ListedElicitation>;

export interface PolicyTestReply {
  readonly policy: string;
  /** `ask`: the policy leaves the decision to a person. */
  readonly outcome: "allow_once" | "ask";
  readonly option?: string;
  /** Number of the rule in the policy, from 1. */
  readonly rule?: number;
  readonly why: string;
}

export interface PurgeReply extends Partial<Accepted> {
  readonly session: string;
  /** Number of entries that were removed, or with `dry_run` that would be. */
  readonly entries: number;
}

export interface PruneReply extends Partial<Accepted> {
  readonly sessions: readonly string[];
  readonly entries: number;
}

/** How many of each contained the secret. */
export interface RedactReply extends Partial<Accepted> {
  readonly entries: number;
  readonly receipts: number;
  readonly literals: number;
  /** Rows of sessions, which have a title, a name, a directory and what is open. */
  readonly sessions: number;
  /** Names of the copies of the log with an older schema that were deleted. */
  readonly copies: readonly string[];
}

export interface VerifyReply {
  readonly ok: boolean;
  /** At most 100 sentences, the last of which tells how many more there are. */
  readonly problems: readonly string[];
  readonly sessions: number;
  /** Entries in the log, without purged ones. */
  readonly entries: number;
  /** Commits that a redaction changed. Only their place in the chain could be checked. */
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
