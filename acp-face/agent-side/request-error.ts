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

/** The error of an unexpected exception: the first line of its message, since an error of ACP has one, and no stack. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const [message = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return new RequestError(RPC.internalError, message === "" ? "Internal error" : message);
}
