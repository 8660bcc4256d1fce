// SPDX-License-Identifier: MIT OR Apache-2.0
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "./script.ts";

/** A response of server-sent events that ends a wait when its client leaves. */
export interface EventStream {
  /** JSON, or the text as it is; with an event name where the dialect has one. */
  send(data: unknown, event?: string): void;
  /** Each piece after its delay, then the hang if the answer asks for it. False when the client left meanwhile. */
  eachPiece(answer: Answer, send: (piece: string) => void): Promise<boolean>;
  end(): void;
}

export function openEventStream(response: ServerResponse): EventStream {
  const left = new AbortController();
  response.once("close", () => left.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  return {
    send(data, event) {
      if (response.destroyed) return;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
    },
    async eachPiece(answer, send) {
      for (const piece of answer.text ?? []) {
        if (answer.pieceDelayMs !== undefined) await untilAborted(left.signal, answer.pieceDelayMs);
        if (left.signal.aborted) return false;
        send(piece);
      }
      if (answer.hangs === true) await untilAborted(left.signal);
      return !left.signal.aborted;
    },
    end() {
      response.end();
    },
  };
}

async function untilAborted(signal: AbortSignal, timeoutMs?: number): Promise<void> {
  if (signal.aborted) return;
  if (timeoutMs !== undefined) {
    await delay(timeoutMs, undefined, { signal }).catch(() => undefined);
    return;
  }
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
