// SPDX-License-Identifier: MIT OR Apache-2.0
// What came from the topic and waits to be handed out; bounded, since the log can give it again.
import { parseJson } from "../../json/raw-json.ts";
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";

export interface Publication {
  readonly log: string;
  readonly seqFrom: number;
  readonly seq: number;
  readonly entries: readonly (Entry | TruncatedEntry)[];
}

/** One session's part of a publication, or undefined for another session's and for what is no publication. */
export function parsePublication(body: string, session: string): Publication | undefined {
  const value = parseObject(body);
  if (value === undefined || value["session"] !== session || typeof value["log"] !== "string") return undefined;
  const { log, seq } = value;
  // A plan has `entries` of its own: only `seq_from` tells that several were committed together.
  const { seq_from: seqFrom, entries } = "seq_from" in value ? value : { seq_from: seq, entries: [value] };
  if (!isSeq(seq) || !isSeq(seqFrom) || seqFrom > seq || !Array.isArray(entries)) return undefined;
  const isConsecutive = entries.every((entry: unknown, index) => (entry as Entry | null)?.seq === seqFrom + index);
  if (!isConsecutive || entries.length !== seq - seqFrom + 1) return undefined;
  return { log, seqFrom, seq, entries: entries as Entry[] };
}

/** What exceeds either while it waits for a slow reader is thrown away, and read from the log instead. */
export const waitingMax = 1_024;
/** Of UTF-16 units of publications' bodies. */
export const waitingTextMax = 8 * 1024 * 1024;

export class Inbox {
  #waiting: { readonly received: Publication; readonly length: number }[] = [];
  #length = 0;
  #missed = false;
  #wake: (() => void) | undefined;

  /** `length`: of the body that it came in. */
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

  /** What waits is worth nothing any more: the log has it all. */
  markMissed(): void {
    this.#waiting = [];
    this.#length = 0;
    this.#missed = true;
    this.#wake?.();
  }

  /** The next publication, or `missed` when the log must be asked; also after `quietMs` without one. */
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

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
