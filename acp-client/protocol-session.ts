// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface between the client (process, lines, JSON-RPC, timeouts) and one version of ACP. Each version is one
// implementation of ProtocolSession.
import type { AgentClient } from "./agent-client.ts";
import type { AgentEvent, AgentFailure, Done } from "./agent-events.ts";
import type { ClientLimits } from "./client-limits.ts";
import type { ClientQuirks } from "./client-quirks.ts";
import type { ClientSide } from "./client-side.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { ClientInfo } from "./schema/v1/requests.ts";

/**
 * The members of AgentClient that depend on the version. The client calls the others only after initialize has
 * succeeded. Each `done` is called once: synchronously if nothing is sent, otherwise with the response.
 */
export interface ProtocolSession extends Pick<
  AgentClient,
  | "identity"
  | "initialize"
  | "open"
  | "prompt"
  | "steer"
  | "cancel"
  | "setOption"
  | "answer"
  | "listSessions"
  | "closeSession"
  | "deleteSession"
  | "authenticate"
  | "logout"
> {
  /** Whether the response to session/new, session/load or session/resume is pending. */
  readonly isOpening: boolean;
  /** Whether a session is open, and the agent supports session/close. */
  readonly canClose: boolean;
  onNotification(method: string, params: unknown, line: string): void;
  /** Ensures that every request is answered, an unknown method with -32601. */
  onRequest(request: IncomingRequest): void;
  onCancelRequest(request: IncomingRequest): void;
  /** The agent can no longer be reached: every request fails from now on, so nothing may wait before it is sent. */
  onClosed(): void;
}

/** What the client provides to a ProtocolSession. */
export interface AgentLink {
  readonly limits: ClientLimits;
  readonly clientInfo: ClientInfo;
  readonly clientSide: ClientSide;
  /** Of this agent; none before initialize is answered. */
  readonly quirks: ClientQuirks;
  /** Sends a request, without a time limit if `timeoutMs` is undefined. JSON-RPC errors arrive as an AgentFailure. */
  request(method: string, params: object, timeoutMs: number | undefined, done: Done<unknown>): void;
  notify(method: string, params: object): void;
  /** Calls `run` once after `ms`, as a batch of its own, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
  emit(event: AgentEvent): void;
  /** Records that a client-side handler received something, so that onBatchEnd is called for this batch. */
  noteDelivery(): void;
  /** Reports a fault. Faults of one kind in a batch are counted as one. `sample` is redacted and truncated. */
  fault(fault: string, message: string, sample?: string): void;
  /** Returns AGENT_PROTOCOL. `what` continues a sentence that begins with the agent's command. */
  protocolFailure(what: string): AgentFailure;
}
