// SPDX-License-Identifier: MIT OR Apache-2.0
// The face of the client. Everything the agent says arrives at one sink, in wire order, inside the read of the pipe
// that brought it; replies come by callback in that same order, since a promise would let later lines overtake them.
import type {
  AgentIdentity,
  AgentUpdate,
  AuthMethod,
  ConfigOption,
  ContentBlock,
  Elicitation,
  ElicitationAnswer,
  McpServer,
  PermissionOption,
  PermissionOutcome,
  RequestKey,
  ToolCallPatch,
} from "./model.ts";
import type { AgentExit } from "./process/agent-process.ts";
import type { ProcessIdentity } from "./process/process-identity.ts";

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

export interface AgentSink {
  onEvent(event: AgentEvent): void;
  /** After each read of the pipe (or timer, or exit) that brought events or replies: the boundary of a group commit. */
  onBurstEnd(): void;
}

/** A session of the agent that is new, or one that it is to bring back by the way that it advertises. */
export type OpenRequest = (
  | { readonly how: "new" }
  /** `load` tells the history again, `resume` does not. */
  | { readonly how: "load" | "resume"; readonly sessionId: string }
) & {
  /** Absolute. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
};

export interface Opened {
  readonly sessionId: string;
  readonly options: readonly ConfigOption[];
}

export interface Prompted {
  /** ACP's, as it came; an unknown one is kept. */
  readonly stopReason: string;
  readonly usage?: unknown;
}

export interface SessionInfo {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string | null;
  readonly updatedAt?: string | null;
}

export interface AgentClient {
  readonly pid: number | undefined;
  /** Record it: it finds the agent again after a crash of ours. */
  readonly processIdentity: ProcessIdentity | undefined;
  /** The end of what the agent wrote to stderr: bounded, redacted. */
  stderrTail(): string;
  /** After initialize was answered. */
  readonly identity: AgentIdentity | undefined;
  /** Initialize and check the version. Every other request waits for its success and fails as it failed. */
  initialize(done: Done<AgentIdentity>): void;
  /** One session a client. Updates that came before the reply are delivered right after `done`, in order. */
  open(request: OpenRequest, done: Done<Opened>): void;
  /** Embedded resources that the agent cannot take become what it can; what cannot be told is UNSUPPORTED and nothing is sent. No flat time limit. */
  prompt(blocks: readonly ContentBlock[], done: Done<Prompted>): void;
  /** The notification session/cancel; open permissions are answered by their owner, not here. */
  cancel(): void;
  /** session/set_mode or session/set_config_option, as the option came; the whole list comes back. */
  setOption(option: string, value: string | boolean, done: Done<{ readonly options: readonly ConfigOption[] }>): void;
  /** Once for each request; a second answer, or one after withdrawal, is dropped. */
  answerPermission(request: RequestKey, outcome: PermissionOutcome): void;
  /** As answerPermission. */
  answerElicitation(request: RequestKey, answer: ElicitationAnswer): void;
  listSessions(cwd: string | undefined, done: Done<readonly SessionInfo[]>): void;
  closeSession(done: Done<void>): void;
  deleteSession(sessionId: string, done: Done<void>): void;
  authenticate(methodId: string, done: Done<void>): void;
  logout(done: Done<void>): void;
  /** Back pressure: stop and go on reading the agent's stdout. */
  pause(): void;
  resume(): void;
  /** session/close where offered, then the ladder of process/stop-ladder.ts. Resolves when no process of its tree is left. Idempotent. */
  stop(): Promise<AgentExit>;
}
