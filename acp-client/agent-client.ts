// SPDX-License-Identifier: MIT OR Apache-2.0
// The public interface of the client. Everything that the agent sends arrives at one sink, in wire order, during the
// read of the pipe that brought it. Responses come by callback in that same order: with a promise, later lines would
// be handled before them.
import type {
  AgentIdentity,
  ConfigOption,
  ContentBlock,
  McpServer,
  RequestAnswer,
  RequestKey,
  SteeringOutcome,
} from "./model.ts";
import type { AgentExit, AgentEvent, Done, OpenedSession, PromptResult } from "./agent-events.ts";
import type { ProcessIdentity } from "./process/process-identity.ts";

export interface AgentSink {
  onEvent(event: AgentEvent): void;
  /** Called after each read of the pipe, timer or exit that brought events or responses. A log commits here. */
  onBatchEnd(): void;
}

/** Starts a new session, or restores one by a method that the agent has advertised. */
export type OpenSessionParams = (
  | { readonly how: "new" }
  /** `load` replays the history as updates, `resume` does not. */
  | { readonly how: "load" | "resume"; readonly sessionId: string }
) & {
  /** An absolute path, as ACP requires. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
};

export interface SessionInfo {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string | null;
  readonly updatedAt?: string | null;
}

export interface AgentClient {
  readonly pid: number | undefined;
  /** Identifies the process across a crash of ours, if the caller records it. */
  readonly processIdentity: ProcessIdentity | undefined;
  /** Returns the end of the agent's stderr, bounded and redacted. */
  stderrTail(): string;
  /** Undefined until the agent has answered initialize. */
  readonly identity: AgentIdentity | undefined;
  /** Sends initialize and checks the version. Every other request waits for it, and fails with its failure. */
  initialize(done: Done<AgentIdentity>): void;
  /** Opens the client's only session. Updates that came before the response follow right after `done`. */
  open(request: OpenSessionParams, done: Done<OpenedSession>): void;
  /**
   * Converts embedded resources to block types that the agent supports. If a block has no such form, fails with
   * UNSUPPORTED and sends nothing. A turn has no time limit.
   */
  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void;
  /** Sends a prompt for the running turn by the extension `_session/steering`. Converts blocks as `prompt` does. */
  steer(blocks: readonly ContentBlock[], done: Done<SteeringOutcome>): void;
  /** Sends the notification session/cancel. The caller still has to answer open permission requests. */
  cancel(): void;
  /** Sends session/set_mode, set_model or set_config_option, whichever the option came from. Returns all options. */
  setOption(option: string, value: string | boolean, done: Done<{ readonly options: readonly ConfigOption[] }>): void;
  /**
   * Answers a permission or an elicitation once. Later answers, and answers after the agent cancelled the request, are
   * dropped. Throws OPTION_NOT_OFFERED for an option that the agent did not offer.
   */
  answer(request: RequestKey, answer: RequestAnswer): void;
  listSessions(cwd: string | undefined, done: Done<readonly SessionInfo[]>): void;
  closeSession(done: Done<void>): void;
  deleteSession(sessionId: string, done: Done<void>): void;
  authenticate(methodId: string, done: Done<void>): void;
  logout(done: Done<void>): void;
  /** Stops reading the agent's stdout, for back-pressure, until `resume`. */
  pause(): void;
  resume(): void;
  /**
   * Sends session/close if the agent supports it, then ends the process by the stop ladder (process/stop-ladder.ts).
   * Resolves when no process of its tree is left. Idempotent.
   */
  stop(): Promise<AgentExit>;
}
