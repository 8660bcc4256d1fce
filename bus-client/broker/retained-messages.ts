// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "../clock.ts";
import type { FrameHeaders } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";
import type { Peer } from "./peer.ts";

interface Retained {
  readonly headers: FrameHeaders;
  readonly body: string;
  readonly publisher: Peer | undefined;
}

interface RetainedEntry extends Retained {
  readonly characters: number;
  staleSince: number | undefined;
}

/** The last retained message of each topic. It becomes stale when its publisher disconnects, and is deleted later. */
export class RetainedMessages {
  readonly #clock: Clock;
  readonly #limits: BrokerLimits;
  readonly #kept = new Map<string, RetainedEntry>();
  #characters = 0;
  #cancelCheck: (() => void) | undefined;

  constructor(clock: Clock, limits: BrokerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get(topic: string): (Retained & { readonly isStale: boolean }) | undefined {
    const kept = this.#kept.get(topic);
    return kept && { ...kept, isStale: kept.staleSince !== undefined };
  }

  set(topic: string, retained: Retained): void {
    this.delete(topic);
    // Headers count too, since a message may consist of headers alone.
    const headerCharacters = Object.entries(retained.headers).reduce(
      (sum, [key, value]) => sum + key.length + value.length,
      0,
    );
    const characters = retained.body.length + headerCharacters;
    this.#kept.set(topic, { ...retained, characters, staleSince: undefined });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#limits.retainedBytesMax) break;
      this.delete(oldest);
    }
  }

  delete(topic: string): boolean {
    const kept = this.#kept.get(topic);
    if (kept === undefined) return false;
    this.#characters -= kept.characters;
    return this.#kept.delete(topic);
  }

  publisherLeft(peer: Peer): void {
    for (const kept of this.#kept.values()) {
      if (kept.publisher !== peer) continue;
      kept.staleSince = this.#clock.now();
      this.#checkLater();
    }
  }

  close(): void {
    this.#cancelCheck?.();
  }

  /** Starts the timer, which runs only while there are stale messages. */
  #checkLater(): void {
    this.#cancelCheck ??= this.#clock.after(this.#limits.staleCheckMs, () => {
      this.#cancelCheck = undefined;
      this.#purge();
    });
  }

  #purge(): void {
    const goneBefore = this.#clock.now() - this.#limits.staleRetainedMs;
    for (const [topic, { staleSince }] of this.#kept) {
      if (staleSince === undefined) continue;
      if (staleSince <= goneBefore) this.delete(topic);
      else this.#checkLater();
    }
  }
}
