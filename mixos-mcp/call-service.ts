// SPDX-License-Identifier: MIT OR Apache-2.0
// Asking a service: the reply, or a refusal as a ToolError; and giving up what is waited for when the client does.
import { type Reply, replyFailure } from "../bus-client/index.ts";
import { ToolError } from "./tool-error.ts";
import type { ToolContext } from "./tool.ts";

export interface ServiceCall {
  readonly service: string;
  readonly command: string;
  readonly args?: object;
  readonly timeoutMs: number;
}

/** Throws what the service refused, or what kept the Bus from asking it. A call that is given up may still run. */
export async function callService({ connection, signal }: ToolContext, asked: ServiceCall): Promise<Reply> {
  const { service, command, args, timeoutMs } = asked;
  const client = await connection.connectedClient(signal);
  const reply = await rejectOnAbort(client.call(service, command, args, { timeoutMs }), signal);
  const failure = replyFailure(reply);
  if (failure === undefined) return reply;
  throw new ToolError(failure.code ?? toErrorCode(failure.message), failure.message, {
    rc: reply.rc,
    body: reply.body,
  });
}

/** What the broker says by itself has a text and no code. */
function toErrorCode(message: string): string {
  return /^Service '.*' not found$/.test(message) ? "SERVICE_UNKNOWN" : "CALL_FAILED";
}

/** The promise, or as soon as the signal is aborted a rejection with its reason. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
