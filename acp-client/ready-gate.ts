// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentFailure } from "./agent-events.ts";

type Waiter = (failure: AgentFailure | undefined) => void;

/** Holds requests back until initialize is answered. If it failed, they fail with the same failure. */
export class ReadyGate {
  #started = false;
  #settled: { readonly failure: AgentFailure | undefined } | undefined;
  readonly #waiting: Waiter[] = [];

  /** Returns false if it was already started. A gate that failed before can still be started. */
  start(): boolean {
    const wasStarted = this.#started;
    this.#started = true;
    return this.#settled === undefined ? !wasStarted : this.#settled.failure !== undefined;
  }

  /** Releases the waiting requests. Only the first call has an effect. */
  settle(failure: AgentFailure | undefined): void {
    if (this.#settled !== undefined) return;
    this.#settled = { failure };
    for (const pass of this.#waiting.splice(0)) pass(failure);
  }

  pass(pass: Waiter): void {
    if (this.#settled !== undefined) pass(this.#settled.failure);
    else this.#waiting.push(pass);
  }
}
