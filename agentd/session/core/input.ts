// SPDX-License-Identifier: MIT OR Apache-2.0
// The inputs that `step` takes, and the effects, replies and decisions that it returns.
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
  RequestAnswer,
  SteeringOutcome,
} from "../../../acp-client/model.ts";
import type { Limits } from "../../config/limits.ts";
import type { Settings } from "../../config/settings.ts";
import type { ContentBlock, EntryContent, Origin, ResumeMethod } from "../../vocabulary/entries.ts";
import type { ErrorBody } from "../../vocabulary/errors.ts";
import type { NotifyOption } from "../../vocabulary/notify.ts";
import type { Verb, VerbArguments } from "../../vocabulary/verbs.ts";
import type { AgentSigns } from "./agent-signs.ts";
import type { ClientSideEffect, ClientSideInput } from "./client-side/client-side-input.ts";
import type { PolicyEvidence } from "./requests/policy.ts";
import type { CallerToken, ChosenOption, NewSession, SessionState } from "./state.ts";

export interface Sender {
  /** The sender's name as the broker stamped it, or null. */
  readonly by: string | null;
  readonly origin: Origin;
}

export interface Command<V extends Verb = Verb> extends Sender {
  readonly verb: V;
  readonly args: VerbArguments<V>;
  /** The arguments without what the log must not show. */
  readonly redactedArgs: Readonly<Record<string, unknown>>;
  readonly caller: CallerToken;
}

export type SessionCommand =
  | Command<"agent.session.prompt">
  | Command<"agent.session.cancel">
  | Command<"agent.session.set_config">
  | Command<"agent.session.close">
  | Command<"agent.session.rename">
  | Command<"agent.session.forget">
  | Command<"agent.permission.answer">
  | Command<"agent.elicitation.answer">
  | PostponedCommand;

/** Commands that are logged, then carried out outside of the session, and replied to on completion. */
export type PostponedCommand =
  | Command<"agent.login">
  | Command<"agent.probe">
  | Command<"agent.session.purge">
  | Command<"agent.log.prune">
  | Command<"agent.log.redact">;

/** What has come of a postponed command. */
export interface PostponedReply {
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Timer = "request" | "cancel" | "drain" | "idle" | "left" | "silence";

/** The end of a replay concerns only the comparison with the log. */
export type SessionEvent = Exclude<AgentEvent, { readonly type: "replayed" }>;

export type SessionInput =
  | { readonly type: "command"; readonly command: SessionCommand }
  | {
      readonly type: "resume";
      readonly command: Command<"agent.session.resume">;
      /** The directories resolved again now: one may have been moved and a link left in its place. */
      readonly directories: Pick<NewSession, "cwd" | "additionalDirs">;
    }
  /**
   * `evidence`: the policy's evidence for a permission request, when the session has a policy. `signs`: what an update
   * tells by the agent's own means.
   */
  | {
      readonly type: "agent";
      readonly event: SessionEvent;
      readonly evidence?: PolicyEvidence;
      readonly signs?: AgentSigns;
    }
  | {
      readonly type: "spawned";
      readonly process: { readonly pid: number; readonly start_time: string; readonly boot_id: string };
    }
  | {
      readonly type: "opened";
      readonly identity: AgentIdentity;
      readonly opened: OpenedSession;
      readonly resumed?: ResumeMethod;
      /** The options to set: what people had set in earlier runs; of a session that never came up, those of its start. */
      readonly chosen?: readonly ChosenOption[];
      /** With `resumed` being "fresh": why the agent's session was not restored, though it was to be. */
      readonly freshBecause?: string;
    }
  /** The agent advertises this method of resuming and refused it; the next one is tried. */
  | { readonly type: "resume_refused"; readonly method: "resume" | "load"; readonly failure: AgentFailure }
  /** No method of resuming is left. */
  | { readonly type: "not_resumable"; readonly failure?: AgentFailure }
  /** What the agent replayed on `session/load` differs from the log. */
  | { readonly type: "replay_differs"; readonly message: string }
  | { readonly type: "open_failed"; readonly failure: AgentFailure }
  | { readonly type: "prompt_done"; readonly turn: number; readonly outcome: Outcome<PromptResult> }
  /** The agent's answer to a prompt that it was to take into its running turn. */
  | { readonly type: "steered"; readonly turn: number; readonly outcome: Outcome<SteeringOutcome> }
  /** `seq` of the set_config command, or null for an option of the start's `config`. */
  | {
      readonly type: "option_set";
      readonly seq: number | null;
      readonly option: string;
      readonly outcome: Outcome<{ readonly options: readonly ConfigOption[] }>;
    }
  /** `seq` of the postponed command. */
  | ({ readonly type: "command_done"; readonly seq: number } & PostponedReply)
  /**
   * A person's answer, as `notify` reports it. `by`: the citizen who answered, or null on the desktop. `edition`: of
   * the ask that was shown, 0 when absent.
   */
  | {
      readonly type: "people_answered";
      readonly request: string;
      readonly option: string;
      readonly by: string | null;
      readonly edition?: number;
    }
  | { readonly type: "people_not_asked"; readonly request: string; readonly message: string }
  /** The answer to a permission or an elicitation was written to the agent. */
  | { readonly type: "answer_sent"; readonly request: string }
  /** A file or terminal request of the agent, or the outcome of one. */
  | { readonly type: "client_side"; readonly input: ClientSideInput }
  /** An editor has taken a lease of the session. */
  | { readonly type: "editor_attached" }
  /** The editor's lease has ended. `cancelsTurns`: by no detach, and its work is not to go on. `isLast`: the session has no other. */
  | {
      readonly type: "editor_left";
      readonly citizen: string;
      readonly cancelsTurns: boolean;
      readonly isLast: boolean;
    }
  /** A session that its editors have left is to make room for a new one. */
  | { readonly type: "make_room" }
  /** Something about this start that the agent does not say of itself. */
  | { readonly type: "start_problem"; readonly title: string; readonly description: string }
  /** The agent did not start the MCP server for the Bus in its first turn, or `message` says why it has none. */
  | { readonly type: "bus_tools_missing"; readonly message?: string }
  | { readonly type: "stopped" }
  | { readonly type: "timer"; readonly timer: Timer; readonly key: string }
  /** The agent was stopped while the log could not be written. */
  | { readonly type: "ended_unlogged" }
  /** The log has reached its quota, so running turns must end. */
  | { readonly type: "log_full" }
  | { readonly type: "stop" }
  /** The daemon has restarted, and the agent of this session is gone. */
  | {
      readonly type: "recover";
      readonly turns: readonly RecoveredTurn[];
      readonly openTools: readonly RecoveredTool[];
      /** Number of processes of the dead agentd's agent that were found and ended. */
      readonly processesEnded: number;
    };

export interface RecoveredTurn {
  readonly turn: number;
  readonly started: boolean;
  /** The agent was asked to take it into its running turn. */
  readonly steering?: boolean;
  /** The log has output of the agent in this turn. */
  readonly answered: boolean;
}

export interface RecoveredTool {
  readonly toolCallId: string;
  readonly turn?: number;
}

export type Effect =
  | { readonly type: "launch"; readonly state: SessionState }
  /** `transcript`: prepend the conversation so far, which the agent does not know. */
  | {
      readonly type: "prompt";
      readonly turn: number;
      readonly blocks: readonly ContentBlock[];
      readonly transcript: boolean;
    }
  | { readonly type: "steer"; readonly turn: number; readonly blocks: readonly ContentBlock[] }
  | { readonly type: "cancel" }
  | {
      readonly type: "set_option";
      readonly seq: number | null;
      readonly option: string;
      readonly value: string | boolean;
    }
  | {
      readonly type: "answer_request";
      readonly request: string;
      readonly key: number;
      readonly answer: RequestAnswer;
    }
  | PeopleEffect
  | { readonly type: "client_side"; readonly effect: ClientSideEffect }
  | { readonly type: "arm"; readonly timer: Timer; readonly key: string; readonly afterMs: number }
  | { readonly type: "disarm"; readonly timer: Timer; readonly key: string }
  /** Check whether the agent has started its MCP server for the Bus; if not, post `bus_tools_missing`. */
  | { readonly type: "check_bus_tools" }
  | { readonly type: "run_command"; readonly seq: number; readonly command: PostponedCommand }
  /** Stop the agent by the stop ladder, then post `stopped`. */
  | { readonly type: "stop_agent" };

/** Effects that the service `notify` carries out. */
export type PeopleEffect =
  /** Sent again with new words when the agent changes what it asks. */
  | {
      readonly type: "ask_people";
      readonly request: string;
      /** How often the agent has changed the request. An answer to another edition does not count. */
      readonly edition: number;
      readonly title: string;
      readonly body: string;
      /** Title and body do not show everything that is asked. */
      readonly incomplete: boolean;
      readonly options: readonly NotifyOption[];
      readonly expiresAt: string | null;
      /** The log entry says that people are notified. */
      readonly notified: boolean;
    }
  /** Also sent when the ask has not reached `notify` yet. */
  | { readonly type: "withdraw_ask"; readonly request: string; readonly reason: string };

export interface Reply {
  readonly caller: CallerToken;
  readonly rc: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The receipt that lets a retry get the first reply. */
export interface NewReceiptAnswer {
  readonly commandId: string;
  readonly seq: number;
  /** Stored with the command when it is replied to at once, otherwise with its reply's commit. */
  readonly answer?: Pick<Reply, "rc" | "body">;
}

export type Decision = RefusedDecision | AcceptedDecision;

export interface RefusedDecision {
  readonly refusal: ErrorBody;
}

export interface AcceptedDecision {
  readonly refusal?: undefined;
  readonly state: SessionState;
  readonly entries: readonly EntryContent[];
  readonly effects: readonly Effect[];
  readonly replies: readonly Reply[];
  readonly receipt?: NewReceiptAnswer;
  /** Replies to commands that were accepted earlier. */
  readonly answers: readonly Required<NewReceiptAnswer>[];
}

/** Pure functions that need a schema or the platform. They are injected, because the core may import neither. */
export interface CorePorts {
  /** Returns, in words for people, why an agent with these prompt capabilities cannot be sent these blocks. */
  readonly findPromptProblem: (
    blocks: readonly ContentBlock[],
    offered: Pick<AgentCapabilities, "promptImage" | "promptAudio" | "promptEmbeddedContext">,
  ) => string | undefined;
  /** Returns the host of a URL, or undefined when it does not parse. */
  readonly hostOf: (url: string) => string | undefined;
}

export interface StepContext {
  /** Running probes, which count towards max_sessions. */
  readonly probes?: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Pick<Settings, "maxSessions" | "permissionTimeoutMs" | "idleTimeoutMs" | "policies" | "busTools">;
  readonly limits: Pick<
    Limits,
    | "cancelForceMs"
    | "drainTimeoutMs"
    | "leftSessionMs"
    | "modelSilenceMs"
    | "queuedPromptsMax"
    | "openRequestsMax"
    | "openToolCallsMax"
    | "extensionBytesMax"
    | "fileBytesMax"
    | "terminalsMax"
  >;
  /** `off`: the configuration has no service `notify`. `away`: the service is not on the Bus. `there`: it is. */
  readonly people: "off" | "away" | "there";
  readonly ports: CorePorts;
}
