// SPDX-License-Identifier: MIT OR Apache-2.0
// Plain values that a client reports about its agent: events, outcomes of requests, failures. This file imports no
// process or pipe code, so that pure code can use these types.
import type {
  AuthMethod,
  AgentUpdate,
  ConfigOption,
  Elicitation,
  PermissionOption,
  RequestKey,
  TokenUsage,
  ToolCallPatch,
} from "./model.ts";

export type AgentFailureCode =
  /** The agent requires a login. */
  | "AGENT_AUTH"
  /** The agent violates ACP: wrong version, no response in time, a malformed result, or a line over the limit. */
  | "AGENT_PROTOCOL"
  /** The agent's process ended. */
  | "AGENT_EXITED"
  /** The program could not be started: it was not found, say, or is not executable. */
  | "AGENT_UNAVAILABLE"
  /** This agent does not support what was asked. */
  | "UNSUPPORTED"
  /** The agent answered with another JSON-RPC error. */
  | "AGENT_ERROR";

export interface AgentFailure {
  readonly code: AgentFailureCode;
  /** A message for people, which says what to do if that is known. */
  readonly message: string;
  /** The JSON-RPC error as received, with message and data truncated to the client's limits. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly methods?: readonly AuthMethod[];
  /** Of AGENT_AUTH: the agent that needs the login, as AgentOptions names it. */
  readonly agent?: string;
  readonly exit?: AgentExit;
  readonly stderrTail?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: AgentFailure };
export type Done<T> = (outcome: Outcome<T>) => void;

export type AgentEvent =
  /**
   * `replay` marks history that the agent repeats for session/load, until the first prompt. Current options and commands
   * never carry it.
   */
  | {
      readonly type: "update";
      readonly update: AgentUpdate;
      readonly replay?: true;
      /** The tool call of an update for a session id that this client never opened, such as a sub-agent's. */
      readonly about?: { readonly agentSession: string; readonly call: ToolCallPatch };
    }
  | {
      readonly type: "permission";
      readonly request: RequestKey;
      readonly toolCall: ToolCallPatch;
      readonly options: readonly PermissionOption[];
      /** The session id of the request, if it is not the open session's: a sub-agent asks under an id of its own. */
      readonly agentSession?: string;
    }
  | {
      readonly type: "elicitation";
      readonly request: RequestKey;
      readonly asked: Elicitation;
      readonly agentSession?: string;
    }
  /** No more history comes after a session/load. */
  | { readonly type: "replayed" }
  /** The agent cancelled a request ($/cancel_request). The client has already answered it. */
  | { readonly type: "withdrawn"; readonly request: RequestKey }
  /** Reports noise on stdout, a protocol fault or a request for an unknown session. Bounded; `count` occurrences. */
  | {
      readonly type: "fault";
      readonly fault: string;
      readonly message: string;
      readonly sample?: string;
      readonly count: number;
    }
  /** The connection is unusable. Pending requests fail, and the client ends the process. */
  | { readonly type: "broken"; readonly failure: AgentFailure }
  /** The last event of a client, emitted once: the process has ended and its pipes are drained. */
  | { readonly type: "exited"; readonly exit: AgentExit; readonly stderrTail: string };

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly spawnError?: { readonly code: string; readonly message: string };
  /** Set if the agent closed its stdout and kept running, for which the client ended it. */
  readonly stdoutClosed?: true;
  /** Set in the result of `stop`: how many processes had to be killed, the agent's own included. */
  readonly killed?: number;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly options: readonly ConfigOption[];
}

export interface PromptResult {
  /** As received, even if ACP does not define it. */
  readonly stopReason: string;
  readonly usage?: TokenUsage;
}
