// SPDX-License-Identifier: MIT OR Apache-2.0
// What moves a session, and what a move brings about.
import type {
  AgentEvent,
  AgentFailure,
  OpenedSession,
  Outcome,
  PromptResult,
} from "../../../acp-client/agent-events.ts";
import type {
  AgentCapabilities,
  AgentIdentity,
  ConfigOption,
  ElicitationAnswer,
  PermissionOutcome,
} from "../../../acp-client/model.ts";
import type { PolicySettings } from "../../config/settings.ts";
import type { ContentBlock, EntryContent, Origin, ResumeMethod } from "../../vocabulary/entries.ts";
import type { ErrorBody } from "../../vocabulary/errors.ts";
import type { NotifyOption } from "../../vocabulary/notify.ts";
import type { Verb, VerbArguments } from "../../vocabulary/verbs.ts";
import type { ClientSideEffect, ClientSideInput } from "./client-side/client-side-input.ts";
import type { PolicyEvidence } from "./requests/policy.ts";
import type { CallerToken, ChosenOption, NewSession, SessionState } from "./state.ts";

export interface Sender {
  /** The name that the broker stamped, or null. */
  readonly by: string | null;
  readonly origin: Origin;
}

export interface Command<V extends Verb = Verb> extends Sender {
  readonly verb: V;
  readonly args: VerbArguments<V>;
  /** What the log may show of the arguments. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly caller: CallerToken;
}

export type SessionCommand =
  | Command<"agent.session.prompt">
  | Command<"agent.session.cancel">
  | Command<"agent.session.set_config">
  | Command<"agent.session.close">
  | Command<"agent.permission.answer">
  | Command<"agent.elicitation.answer">
  | KeepingCommand;

/** What keeps the log in hand; answered when done. */
export type KeepingCommand = Command<"agent.session.purge"> | Command<"agent.log.prune"> | Command<"agent.log.redact">;

export type Timer = "permission" | "elicitation" | "cancel" | "drain" | "idle";

export type SessionInput =
  | { readonly type: "command"; readonly command: SessionCommand }
  | {
      readonly type: "resume";
      readonly command: Command<"agent.session.resume">;
      /** Where they really are now: a directory may have been moved, and a link left in its place. */
      readonly directories: Pick<NewSession, "cwd" | "additionalDirs">;
      readonly maxSessions: number;
    }
  /** `evidence`: with a permission, where the session has a policy. */
  | { readonly type: "agent"; readonly event: AgentEvent; readonly evidence?: PolicyEvidence }
  | {
      readonly type: "spawned";
      readonly process: { readonly pid: number; readonly start_time: string; readonly boot_id: string };
    }
  | {
      readonly type: "came_up";
      readonly identity: AgentIdentity;
      readonly opened: OpenedSession;
      readonly resumed?: ResumeMethod;
      /** With `resumed`: the options that people had set in earlier lives. */
      readonly chosen?: readonly ChosenOption[];
    }
  /** A way back that the agent advertises and does not go; the next is tried. */
  | { readonly type: "way_refused"; readonly way: "resume" | "load"; readonly failure: AgentFailure }
  /** No way back is left. */
  | { readonly type: "not_resumable"; readonly failure?: AgentFailure }
  /** What the agent told of the past is not what the log has of it. */
  | { readonly type: "replay_differs"; readonly message: string }
  | { readonly type: "open_failed"; readonly failure: AgentFailure }
  | { readonly type: "prompt_done"; readonly turn: number; readonly outcome: Outcome<PromptResult> }
  /** `seq` of the set_config command, or null for an option of the start's `config`. */
  | {
      readonly type: "option_set";
      readonly seq: number | null;
      readonly option: string;
      readonly outcome: Outcome<{ readonly options: readonly ConfigOption[] }>;
    }
  /** A command that keeps the log in hand is done, or failed. */
  | {
      readonly type: "kept";
      readonly seq: number;
      readonly rc: number;
      readonly body: Readonly<Record<string, unknown>>;
    }
  /**
   * What `notify` has told. `by`: who answered there; null: on the desktop. `edition`: of the question that was shown
   * there; without it, the first.
   */
  | {
      readonly type: "people_answered";
      readonly request: string;
      readonly option: string;
      readonly by: string | null;
      readonly edition?: number;
    }
  | { readonly type: "people_not_asked"; readonly request: string; readonly message: string }
  /** The answer to a permission or an elicitation is written to the agent. */
  | { readonly type: "answer_sent"; readonly request: string }
  /** Of its files and terminals. */
  | { readonly type: "client_side"; readonly input: ClientSideInput }
  /**
   * After its first turn the agent has still not started the MCP server that leads to the Bus; or `message` says why it
   * could not even be given it.
   */
  | { readonly type: "bus_tools_missing"; readonly message?: string }
  | { readonly type: "stopped" }
  | { readonly type: "timer"; readonly timer: Timer; readonly key: string }
  /** Its agent was ended while that could not be logged. */
  | { readonly type: "ended_unlogged" }
  /** The log is so full that what runs has to end. */
  | { readonly type: "log_full" }
  /** The daemon stops. */
  | { readonly type: "stop" }
  /** The daemon has started again and no agent of this session lives. */
  | {
      readonly type: "recover";
      readonly turns: readonly RecoveredTurn[];
      readonly openTools: readonly RecoveredTool[];
      /** Processes of the dead agentd's agent that were found and ended. */
      readonly processesEnded: number;
    };

export interface RecoveredTurn {
  readonly turn: number;
  readonly started: boolean;
  /** Something the agent said in this turn is in the log. */
  readonly answered: boolean;
}

export interface RecoveredTool {
  readonly toolCallId: string;
  readonly turn?: number;
}

export type Effect =
  | { readonly type: "launch"; readonly state: SessionState }
  /** `transcript`: preceded by what was said before, of which the agent knows nothing. */
  | {
      readonly type: "prompt";
      readonly turn: number;
      readonly blocks: readonly ContentBlock[];
      readonly transcript: boolean;
    }
  | { readonly type: "cancel" }
  | {
      readonly type: "set_option";
      readonly seq: number | null;
      readonly option: string;
      readonly value: string | boolean;
    }
  | {
      readonly type: "answer_permission";
      readonly request: string;
      readonly key: number;
      readonly outcome: PermissionOutcome;
    }
  | PeopleEffect
  | {
      readonly type: "answer_elicitation";
      readonly request: string;
      readonly key: number;
      readonly answer: ElicitationAnswer;
    }
  | { readonly type: "client_side"; readonly effect: ClientSideEffect }
  | { readonly type: "arm"; readonly timer: Timer; readonly key: string; readonly afterMs: number }
  | { readonly type: "disarm"; readonly timer: Timer; readonly key: string }
  /** Look whether the agent has come to the Bus by its MCP server; if not, report `bus_tools_missing`. */
  | { readonly type: "check_bus_tools" }
  | { readonly type: "keep"; readonly seq: number; readonly command: KeepingCommand }
  /** End the agent by the ladder, then report `stopped`. */
  | { readonly type: "stop_agent" };

/** What concerns people, and the service that asks them. */
export type PeopleEffect =
  /** Also again, with other words, where what is asked has changed. */
  | {
      readonly type: "ask_people";
      readonly request: string;
      /** How often the question had changed by then: an answer to another edition is none. */
      readonly edition: number;
      readonly title: string;
      readonly body: string;
      /** Title and body are not all of what is asked. */
      readonly incomplete: boolean;
      readonly options: readonly NotifyOption[];
      readonly expiresAt: string | null;
      /** The log says that they are asked. */
      readonly notified: boolean;
    }
  /** Also where it was not asked yet. */
  | { readonly type: "withdraw_ask"; readonly request: string; readonly reason: string };

export interface Reply {
  readonly caller: CallerToken;
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the log keeps so that a retry gets the first reply. */
export interface ReceiptNote {
  readonly commandId: string;
  readonly seq: number;
  /** With a command that is answered when done, in the commit of its reply; else in the command's own. */
  readonly answer?: Pick<Reply, "rc" | "body">;
}

export type Decision =
  | { readonly refusal: ErrorBody }
  | {
      readonly refusal?: undefined;
      readonly state: SessionState;
      readonly entries: readonly EntryContent[];
      readonly effects: readonly Effect[];
      readonly replies: readonly Reply[];
      /** Of the command that this decision accepts. */
      readonly receipt?: ReceiptNote;
      /** Of commands that were accepted before and are answered now. */
      readonly answers: readonly Required<ReceiptNote>[];
    };

export interface Settings {
  /** Null: no limit. */
  readonly permissionTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly cancelGraceMs: number;
  readonly drainGraceMs: number;
  readonly queuedPromptsMax: number;
  readonly openRequestsMax: number;
  readonly openToolCallsMax: number;
  /** UTF-8 bytes of an extension's data. */
  readonly extensionBytesMax: number;
  /** As the configuration has them now. */
  readonly policies: ReadonlyMap<string, PolicySettings>;
  /** UTF-8 bytes of a file that an agent writes through its client. */
  readonly fileBytesMax: number;
  readonly terminalsMax: number;
  /** Agents are given the MCP server that leads to the Bus. */
  readonly busTools: boolean;
}

/** Readings that take a schema or the platform. Pure, and handed in: the core itself needs neither. */
export interface Readings {
  /** Why an agent that offers this cannot be sent these blocks, for people; undefined where it can. */
  readonly unsendable: (
    blocks: readonly ContentBlock[],
    offered: Pick<AgentCapabilities, "promptImage" | "promptAudio" | "promptEmbeddedContext">,
  ) => string | undefined;
  /** The host that an address leads to, whatever it looks like; undefined for what is no address. */
  readonly hostOf: (url: string) => string | undefined;
}

export interface Context {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Settings;
  /** The service that asks people: the configuration has none, it is not on the Bus, or it is. */
  readonly people: "off" | "away" | "there";
  readonly readings: Readings;
}
