// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentFailure } from "./agent-events.ts";

type Waiter = (failure: AgentFailure | undefined) => void;

type GateState =
  | { readonly state: "closed"; readonly started: boolean; readonly waiting: readonly Waiter[] }
  | { readonly state: "settled"; readonly failure: AgentFailure | undefined };

/** Holds every request back until initialize has succeeded, and lets it fail as initialize failed. */
export class ReadyGate {
  #state: GateState = { state: "closed", started: false, waiting: [] };

  /** False when it was started before. */
  start(): boolean {
    if (this.#state.state === "settled") return this.#state.failure !== undefined;
    if (this.#state.started) return false;
    this.#state = { ...this.#state, started: true };
    return true;
  }

  /** Only the first call counts. */
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
