// SPDX-License-Identifier: MIT OR Apache-2.0
// The face of the client. Everything the agent says arrives at one sink, in wire order, inside the read of the pipe
// that brought it; replies come by callback in that same order, since a promise would let later lines overtake them.
import type {
  AgentIdentity,
  ConfigOption,
  ContentBlock,
  ElicitationAnswer,
  McpServer,
  PermissionOutcome,
  RequestKey,
} from "./model.ts";
import type { AgentExit, AgentEvent, Done, OpenedSession, PromptResult } from "./agent-events.ts";
import type { ProcessIdentity } from "./process/process-identity.ts";

export interface AgentSink {
  onEvent(event: AgentEvent): void;
  /** After each read of the pipe (or timer, or exit) that brought events or replies: the boundary of a group commit. */
  onBatchEnd(): void;
}

/** A session of the agent that is new, or one that it is to bring back by the way that it advertises. */
export type OpenSessionParams = (
  | { readonly how: "new" }
  /** `load` tells the history again, `resume` does not. */
  | { readonly how: "load" | "resume"; readonly sessionId: string }
) & {
  /** Absolute. */
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
  /** Record it: it finds the agent again after a crash of ours. */
  readonly processIdentity: ProcessIdentity | undefined;
  /** The end of what the agent wrote to stderr: bounded, redacted. */
  stderrTail(): string;
  /** After initialize was answered. */
  readonly identity: AgentIdentity | undefined;
  /** Initialize and check the version. Every other request waits for its success and fails as it failed. */
  initialize(done: Done<AgentIdentity>): void;
  /** One session a client. Updates that came before the reply are delivered right after `done`, in order. */
  open(request: OpenSessionParams, done: Done<OpenedSession>): void;
  /** Embedded resources that the agent cannot take become what it can; what cannot be told is UNSUPPORTED and nothing is sent. No flat time limit. */
  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void;
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
