// SPDX-License-Identifier: MIT OR Apache-2.0
// The seam between what every version of ACP needs (a process, lines, JSON-RPC, waits with a limit) and what only one
// version does. A version is one ProtocolSession; the client finds it by number and knows nothing else of it.
import type { AgentClient } from "./agent-client.ts";
import type { AgentEvent, AgentFailure, Done } from "./agent-events.ts";
import type { ClientLimits } from "./client-limits.ts";
import type { ClientSide } from "./client-side.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { ClientInfo } from "./schema/v1/requests.ts";

/**
 * The parts of AgentClient that depend on the version. Called after initialize has succeeded, and each `done` exactly
 * once: in the call itself when nothing is sent, else when the answer comes.
 */
export interface ProtocolSession extends Pick<
  AgentClient,
  | "initialize"
  | "open"
  | "prompt"
  | "cancel"
  | "setOption"
  | "answerPermission"
  | "answerElicitation"
  | "listSessions"
  | "deleteSession"
  | "authenticate"
  | "logout"
> {
  /** `timeoutMs` since a session that is stopped is closed in a hurry. */
  closeSession(timeoutMs: number, done: Done<void>): void;
  /** A session was asked for, and the answer has not come. */
  readonly isOpening: boolean;
  /** There is a session that was not closed, and this agent closes sessions. */
  readonly canClose: boolean;
  onNotification(method: string, params: unknown, line: string, bytes: Buffer | undefined): void;
  /** Every request is answered, an unknown one with -32601. */
  onRequest(request: IncomingRequest): void;
  onCancelRequest(request: IncomingRequest): void;
}

/** What a version is given to work with. */
export interface AgentLink {
  readonly limits: ClientLimits;
  readonly clientInfo: ClientInfo;
  readonly clientSide: ClientSide;
  /** `timeoutMs` undefined: no limit. A refusal of the agent comes as the failure that its code stands for. */
  request(method: string, params: object, timeoutMs: number | undefined, done: Done<unknown>): void;
  notify(method: string, params: object): void;
  emit(event: AgentEvent): void;
  /** Something was told to somebody else than the sink: the end of this burst is one for them too. */
  noteDelivery(): void;
  /** Counted together with others of its kind until the end of the burst. `fault` is one of a fixed table, `sample` is cut. */
  fault(fault: string, message: string, sample?: string): void;
  /** `what` continues a sentence that begins with the agent's command. */
  protocolFailure(what: string): AgentFailure;
}
