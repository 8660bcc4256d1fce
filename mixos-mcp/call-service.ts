// SPDX-License-Identifier: MIT OR Apache-2.0
// Calls a service on the Bus, and turns a refusal into a ToolError.
import { type Reply, replyFailure } from "../bus-client/index.ts";
import { ToolError } from "./tool-error.ts";
import type { ToolContext } from "./tool.ts";

export interface ServiceCall {
  readonly service: string;
  readonly command: string;
  readonly args?: object;
  readonly timeoutMs: number;
}

/** Throws ToolError if the service refused, or the error of the Bus. A call that was aborted may still run. */
export async function callService({ connection, signal }: ToolContext, call: ServiceCall): Promise<Reply> {
  const { service, command, args, timeoutMs } = call;
  const client = await connection.connectedClient(signal);
  const reply = await rejectOnAbort(client.call(service, command, args, { timeoutMs }), signal);
  const failure = replyFailure(reply);
  if (failure === undefined) return reply;
  throw new ToolError(failure.code ?? toErrorCode(failure.message), failure.message, {
    rc: reply.rc,
    body: reply.body,
  });
}

/** The broker's own errors have a text but no code. */
function toErrorCode(message: string): string {
  return /^Service '.*' not found$/.test(message) ? "SERVICE_UNKNOWN" : "CALL_FAILED";
}

/** Settles like the promise, or rejects with the signal's reason once it is aborted. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
