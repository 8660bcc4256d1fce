// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent may ask of its client beyond permission. Each is an optional object: there, it is advertised and served;
// not there, it is neither, and a request for it is answered with -32601.
import type { RpcError } from "./jsonrpc/message.ts";

export interface ClientSideRequest {
  readonly method: string;
  /** As they came: whoever serves it checks them. */
  readonly params: unknown;
  /**
   * Reply or refuse, once; a second answer, or one after the agent's end, is dropped. `written` is called, after the
   * return, when the answer has left for the agent: until then it waits in memory. Never where it is dropped.
   */
  reply(result: object, written?: () => void): void;
  refuse(error: RpcError): void;
}

export interface ClientSideHandler {
  /** In the read of the pipe that brought it: the end of that burst is told at the sink. */
  serve(request: ClientSideRequest): void;
  /** The agent takes back what is still open; it is to be answered all the same. Where absent, it is answered as ever. */
  withdraw?(request: ClientSideRequest): void;
}

/** An elicitation waits for a person, as a permission does: it comes as an event, and is answered by answerElicitation. */
export interface ElicitationOffer {
  /** At least one; a request in another mode is answered with -32602. */
  readonly modes: readonly ("form" | "url")[];
}

export interface ClientSide {
  /** fs/read_text_file and fs/write_text_file. */
  readonly fs?: ClientSideHandler;
  /** The five terminal/ methods. */
  readonly terminal?: ClientSideHandler;
  readonly elicitation?: ElicitationOffer;
}

/** Who serves a method, if anybody does. */
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
