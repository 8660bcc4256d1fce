// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "./clock.ts";

/** One accepted command that is unanswered. */
export interface Ticket {
  /** It was answered. May be repeated. */
  readonly release: () => void;
  /** What to do with it when the citizen ends. */
  onEnd(end: () => void): void;
}

interface Held {
  readonly pool: string | undefined;
  end: () => void;
}

/** How many commands are unanswered, by pool. Those without a pool share one limit. */
export class PendingCommands {
  readonly #max: number;
  readonly #pools: Readonly<Record<string, { readonly pendingMax: number }>>;
  readonly #counts = new Map<string | undefined, number>();
  readonly #held = new Set<Held>();
  #drained: (() => void) | undefined;

  constructor(max: number, pools: Readonly<Record<string, { readonly pendingMax: number }>>) {
    this.#max = max;
    this.#pools = pools;
  }

  /** Undefined: there are too many. */
  admit(pool: string | undefined): Ticket | undefined {
    const max = (pool === undefined ? undefined : this.#pools[pool]?.pendingMax) ?? this.#max;
    const count = this.#counts.get(pool) ?? 0;
    if (count >= max) return undefined;
    this.#counts.set(pool, count + 1);
    const held: Held = { pool, end: () => {} };
    this.#held.add(held);
    return {
      release: () => this.#release(held),
      onEnd: (end) => (held.end = end),
    };
  }

  /** Ends those that wait in pools. */
  endPools(): void {
    for (const held of this.#held) if (held.pool !== undefined) held.end();
  }

  endAll(): void {
    for (const held of this.#held) held.end();
  }

  /** Resolves when there is none, or the time is up. */
  drained(timeoutMs: number, clock: Clock): Promise<void> {
    if (this.#held.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(timeoutMs, resolve);
      this.#drained = () => {
        cancel();
        resolve();
      };
    });
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    this.#counts.set(held.pool, this.#counts.get(held.pool)! - 1);
    if (this.#held.size === 0) this.#drained?.();
  }
}
