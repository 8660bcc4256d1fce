// SPDX-License-Identifier: MIT OR Apache-2.0
// What a client tells of its agent, as values: events, outcomes of requests, failures. No process and no pipe is needed
// to have them, so that whoever decides upon them is free of both.
import type {
  AuthMethod,
  AgentUpdate,
  ConfigOption,
  Elicitation,
  PermissionOption,
  RequestKey,
  ToolCallPatch,
} from "./model.ts";

export type AgentFailureCode =
  /** Login needed: JSON-RPC -32000. */
  | "AGENT_AUTH"
  /** It does not speak ACP as it must: wrong version, no answer in time, malformed result, line over the cap. */
  | "AGENT_PROTOCOL"
  /** It ended, or could not be started. */
  | "AGENT_EXITED"
  /** The program was not found or is not executable. */
  | "AGENT_UNAVAILABLE"
  /** Not offered by this agent. */
  | "UNSUPPORTED"
  /** It answered with a JSON-RPC error of its own. */
  | "AGENT_ERROR";

export interface AgentFailure {
  readonly code: AgentFailureCode;
  /** For people; says what to do where that is known. */
  readonly message: string;
  /** The JSON-RPC error as it came, data bounded. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly methods?: readonly AuthMethod[];
  readonly exit?: AgentExit;
  readonly stderrTail?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: AgentFailure };
export type Done<T> = (outcome: Outcome<T>) => void;

export type AgentEvent =
  /** `replay`: history, told again while a session is brought back. What is of the present (options, commands) is not. */
  | {
      readonly type: "update";
      readonly update: AgentUpdate;
      readonly replay?: true;
      /** With an update under a session id that was never opened: the tool call that it is about. */
      readonly about?: { readonly agentSession: string; readonly call: ToolCallPatch };
    }
  | {
      readonly type: "permission";
      readonly request: RequestKey;
      readonly toolCall: ToolCallPatch;
      readonly options: readonly PermissionOption[];
      /** It asks under this session id, which was never opened: a sub-agent's. */
      readonly agentSession?: string;
    }
  | {
      readonly type: "elicitation";
      readonly request: RequestKey;
      readonly asked: Elicitation;
      readonly agentSession?: string;
    }
  /** The agent took a request back ($/cancel_request); the client has answered it already. */
  | { readonly type: "withdrawn"; readonly request: RequestKey }
  /** Noise on stdout, protocol faults, requests for sessions it never opened: for the log, bounded and counted. */
  | {
      readonly type: "fault";
      readonly fault: string;
      readonly message: string;
      readonly sample?: string;
      readonly count: number;
    }
  /** The conversation has no future, though the process may still live: what is pending fails with the same, and the client ends it. */
  | { readonly type: "broken"; readonly failure: AgentFailure }
  /** The last event of a client, exactly once: the process is gone and its pipes are drained. */
  | { readonly type: "exited"; readonly exit: AgentExit; readonly stderrTail: string };

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** It never came up. */
  readonly spawnError?: { readonly code: string; readonly message: string };
  /** It closed its stdout and lived on; an agent that cannot speak is ended. */
  readonly stdoutClosed?: true;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly options: readonly ConfigOption[];
}

export interface PromptResult {
  /** ACP's, as it came; an unknown one is kept. */
  readonly stopReason: string;
  readonly usage?: unknown;
}
