// SPDX-License-Identifier: MIT OR Apache-2.0
import { RPC, type RpcError } from "../../acp-client/jsonrpc/message.ts";

/** Thrown by a handler to answer with that error, and by `request` for an error of the other side. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly rpc: RpcError;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.rpc = data === undefined ? { code, message } : { code, message, data };
  }
}

/**
 * An error of ACP has a message of one line. Of an unexpected exception that is the first line, since a stack may follow;
 * what was written for people, such as the words of an agent, is kept whole.
 */
export function toRequestError(error: unknown): RequestError {
  const text = error instanceof Error ? error.message : String(error);
  const message = (
    error instanceof RequestError ? text.replaceAll(/\s*[\n\r]\s*/gu, " ") : text.split("\n")[0]
  )?.trim();
  const { code, data } = error instanceof RequestError ? error.rpc : { code: RPC.internalError };
  return new RequestError(code, message || "Internal error", data);
}
