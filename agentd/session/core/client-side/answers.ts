// SPDX-License-Identifier: MIT OR Apache-2.0
// Answers to an agent's file and terminal requests.
import { RPC, type RpcError } from "../../../../acp-client/jsonrpc/message.ts";
import type { Draft } from "../draft.ts";
import type { RequestKey } from "../state.ts";

export const sessionEnding = "the session is ending and takes no more requests";

export function answer(draft: Draft, key: RequestKey, result: object): void {
  draft.effect({ type: "client_side", effect: { type: "answer", key, result } });
}

export function refuseRequest(draft: Draft, key: RequestKey, error: RpcError): void {
  draft.effect({ type: "client_side", effect: { type: "refuse", key, error } });
}

/** An error that is not the fault of the request itself. */
export function toInternalError(message: string): RpcError {
  return { code: RPC.internalError, message };
}

export function terminalNotFound(terminal: string): RpcError {
  return { code: RPC.resourceNotFound, message: "no such terminal", data: { terminalId: terminal } };
}
