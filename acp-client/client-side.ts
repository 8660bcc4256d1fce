// SPDX-License-Identifier: MIT OR Apache-2.0
// Client-side requests: what an agent may call on its client besides session/request_permission. Each capability is an
// optional object. If it is present, it is advertised and served; if not, requests for it are answered with -32601.
import type { RpcError } from "./jsonrpc/message.ts";

export interface ClientSideRequest {
  readonly method: string;
  /** Unchecked; the handler validates them. */
  readonly params: unknown;
  /**
   * Sends the response. Only the first reply or refusal counts; later ones, and any after the agent's exit, are
   * dropped. `written` is called asynchronously once the response has left memory, and never for a dropped one.
   */
  reply(result: object, written?: () => void): void;
  refuse(error: RpcError): void;
}

export interface ClientSideHandler {
  /** Called during the read that brought the request; the sink's onBatchEnd follows. */
  serve(request: ClientSideRequest): void;
  /** Called when the agent cancels an open request ($/cancel_request). The request must still be answered. */
  withdraw?(request: ClientSideRequest): void;
}

/** Elicitations wait for a person, so they come as events and are answered by AgentClient.answer. */
export interface ElicitationOffer {
  /** At least one. Requests in another mode are answered with -32602. */
  readonly modes: readonly ("form" | "url")[];
  /** Also those about a request of ours outside of sessions, such as authenticate. Default: they are refused. */
  readonly outsideSessions?: true;
}

export interface ClientSide {
  /** Serves fs/read_text_file and fs/write_text_file. */
  readonly fs?: ClientSideHandler;
  /** Serves the five terminal/ methods. */
  readonly terminal?: ClientSideHandler;
  readonly elicitation?: ElicitationOffer;
}

/** Returns the handler that serves a method; undefined if the method is unknown or not served. */
export function findHandler(side: ClientSide, method: string): ClientSideHandler | undefined {
  switch (method) {
    case "fs/read_text_file":
    case "fs/write_text_file":
      return side.fs;
    case "terminal/create":
    case "terminal/output":
    case "terminal/wait_for_exit":
    case "terminal/kill":
    case "terminal/release":
      return side.terminal;
    default:
      return undefined;
  }
}
