// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "./clock.ts";

/** An accepted command that is not answered yet. */
export interface Ticket {
  /** Reports that the command was answered. Idempotent. */
  readonly release: () => void;
  /** Sets the action that ends the command when the citizen stops. */
  onEnd(end: () => void): void;
}

interface PendingCommand {
  readonly pool: string | undefined;
  end: () => void;
}

/** Counts and limits unanswered commands by pool. Commands without a pool share one limit. */
export class PendingCommands {
  readonly #max: number;
  readonly #pools: Readonly<Record<string, { readonly pendingMax: number }>>;
  readonly #counts = new Map<string | undefined, number>();
  readonly #held = new Set<PendingCommand>();
  #drained: (() => void) | undefined;

  constructor(max: number, pools: Readonly<Record<string, { readonly pendingMax: number }>>) {
    this.#max = max;
    this.#pools = pools;
  }

  /** Returns undefined if the pool's limit is reached. */
  admit(pool: string | undefined): Ticket | undefined {
    const max = (pool === undefined ? undefined : this.#pools[pool]?.pendingMax) ?? this.#max;
    const count = this.#counts.get(pool) ?? 0;
    if (count >= max) return undefined;
    this.#counts.set(pool, count + 1);
    const held: PendingCommand = { pool, end: () => {} };
    this.#held.add(held);
    return {
      release: () => this.#release(held),
      onEnd: (end) => (held.end = end),
    };
  }

  /** Ends all commands in pools. */
  endPools(): void {
    for (const held of this.#held) if (held.pool !== undefined) held.end();
  }

  endAll(): void {
    for (const held of this.#held) held.end();
  }

  /** Resolves when no command is pending, or after the timeout. */
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

  #release(held: PendingCommand): void {
    if (!this.#held.delete(held)) return;
    this.#counts.set(held.pool, this.#counts.get(held.pool)! - 1);
    if (this.#held.size === 0) this.#drained?.();
  }
}
