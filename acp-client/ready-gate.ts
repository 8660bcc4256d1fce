// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentFailure } from "./agent-events.ts";

type Waiter = (failure: AgentFailure | undefined) => void;

type GateState =
  | { readonly state: "closed"; readonly started: boolean; readonly waiting: readonly Waiter[] }
  | { readonly state: "settled"; readonly failure: AgentFailure | undefined };

/** Holds requests back until initialize is answered. If it failed, they fail with the same failure. */
export class ReadyGate {
  #state: GateState = { state: "closed", started: false, waiting: [] };

  /** Returns false if it was already started. */
  start(): boolean {
    if (this.#state.state === "settled") return this.#state.failure !== undefined;
    if (this.#state.started) return false;
    this.#state = { ...this.#state, started: true };
    return true;
  }

  /** Releases the waiting requests. Only the first call has an effect. */
  settle(failure: AgentFailure | undefined): void {
    if (this.#state.state === "settled") return;
    const { waiting } = this.#state;
    this.#state = { state: "settled", failure };
    for (const pass of waiting) pass(failure);
  }

  pass(pass: Waiter): void {
    if (this.#state.state === "settled") pass(this.#state.failure);
    else this.#state = { ...this.#state, waiting: [...this.#state.waiting, pass] };
  }
}
