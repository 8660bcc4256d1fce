// SPDX-License-Identifier: MIT OR Apache-2.0
// Publications that wait for the follower. The queue is bounded, since the log has all of them.
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import { recordIn } from "../../json/record.ts";

export interface Publication {
  readonly session: string;
  readonly log: string;
  readonly seqFrom: number;
  readonly seq: number;
  readonly entries: readonly (Entry | TruncatedEntry)[];
}

/** Returns undefined for a body that is not a publication, and if `wanted` is given, for another session's. */
export function parsePublication(body: string, wanted?: string): Publication | undefined {
  const value = recordIn(body);
  const { log, session, seq } = value;
  if (typeof session !== "string" || session !== (wanted ?? session) || typeof log !== "string") return undefined;
  // A plan entry has a member `entries` too: only `seq_from` marks a batch of several entries.
  const { seq_from: seqFrom, entries } = "seq_from" in value ? value : { seq_from: seq, entries: [value] };
  if (!isSeq(seq) || !isSeq(seqFrom) || seqFrom > seq || !Array.isArray(entries)) return undefined;
  const isConsecutive = entries.every((entry: unknown, index) => (entry as Entry | null)?.seq === seqFrom + index);
  if (!isConsecutive || entries.length !== seq - seqFrom + 1) return undefined;
  return { log, session, seqFrom, seq, entries: entries as Entry[] };
}

/** If a slow reader lets the queue exceed either limit, the queue is dropped and the log is read instead. */
export const waitingMax = 1_024;
/** In UTF-16 code units of the bodies. */
export const waitingTextMax = 8 * 1024 * 1024;

export class Inbox {
  #waiting: { readonly received: Publication; readonly length: number }[] = [];
  #length = 0;
  #missed = false;
  #wake: (() => void) | undefined;

  /** `length` is that of the body, in UTF-16 code units. */
  put(received: Publication | undefined, length: number): void {
    if (received === undefined || this.#missed) return;
    if (this.#waiting.length >= waitingMax || this.#length + length > waitingTextMax) {
      this.markMissed();
      return;
    }
    this.#waiting.push({ received, length });
    this.#length += length;
    this.#wake?.();
  }

  /** Drops the queue. The next `take` returns `missed`, and the log is read instead. */
  markMissed(): void {
    this.#waiting = [];
    this.#length = 0;
    this.#missed = true;
    this.#wake?.();
  }

  /** Returns the next publication, or `missed` if the log must be read: also after `quietMs` without a publication. */
  async take(quietMs: number, delay: (ms: number, run: () => void) => () => void): Promise<Publication | "missed"> {
    if (this.#waiting.length === 0 && !this.#missed) await this.#waitForPublication(quietMs, delay);
    const first = this.#missed ? undefined : this.#waiting.shift();
    this.#missed = false;
    this.#length -= first?.length ?? 0;
    return first?.received ?? "missed";
  }

  #waitForPublication(quietMs: number, delay: (ms: number, run: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      const cancel = delay(quietMs, over);
      this.#wake = over;
    });
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
