// SPDX-License-Identifier: MIT OR Apache-2.0
// Groups events into batches. A batch is what one read of the pipe brings; a timer or the agent's exit is a batch of
// its own. The sink receives all of a batch's events, then one onBatchEnd, at which a log commits.
import type { AgentEvent, Done, Outcome } from "./agent-events.ts";
import type { AgentSink } from "./agent-client.ts";

type CountedFault = Omit<Extract<AgentEvent, { readonly type: "fault" }>, "type" | "count"> & { count: number };

export class EventBatches {
  readonly #sink: AgentSink;
  /** This batch's faults, by kind: a flood of one kind becomes one event. Kinds are a fixed set, which bounds the map. */
  readonly #faults = new Map<string, CountedFault>();
  #depth = 0;
  #hasDelivered = false;

  constructor(sink: AgentSink) {
    this.#sink = sink;
  }

  /** Runs `work` as a batch, or as part of the current one. */
  run(work: () => void): void {
    this.#depth += 1;
    try {
      work();
    } finally {
      this.#depth -= 1;
    }
    if (this.#depth > 0) return;
    this.#end();
  }

  /** Runs `work` in the current batch, or else in a batch of its own after the caller has returned. */
  defer(work: () => void): void {
    if (this.#depth > 0) this.run(work);
    else queueMicrotask(() => this.run(work));
  }

  /** Calls `done` within a batch, and never before `ask` has returned, even if the answer is known at once. */
  ask<T>(done: Done<T>, ask: (tell: Done<T>) => void): void {
    let returned = false;
    const tell = (outcome: Outcome<T>): void => {
      this.#hasDelivered = true;
      done(outcome);
    };
    ask((outcome) => {
      if (returned) this.run(() => tell(outcome));
      else queueMicrotask(() => this.run(() => tell(outcome)));
    });
    returned = true;
  }

  emit(event: AgentEvent): void {
    this.#hasDelivered = true;
    this.#sink.onEvent(event);
  }

  /** Records that the current batch delivered something outside of the sink, so that onBatchEnd is called for it. */
  noteDelivery(): void {
    this.#hasDelivered = true;
  }

  /** Counts a fault. The first message and sample of each kind are kept. */
  fault(fault: string, message: string, sample?: string): void {
    const known = this.#faults.get(fault);
    if (known !== undefined) known.count += 1;
    else this.#faults.set(fault, { fault, message, ...(sample !== undefined && { sample }), count: 1 });
    // Outside of a batch nothing would flush the fault, so a batch is started for it.
    if (this.#depth === 0) this.defer(() => {});
  }

  /** Emits the counted faults. Happens at the end of a batch, or earlier if another event must come last. */
  flushFaults(): void {
    const faults = [...this.#faults.values()];
    this.#faults.clear();
    for (const fault of faults) this.emit({ type: "fault", ...fault });
  }

  #end(): void {
    this.flushFaults();
    if (!this.#hasDelivered) return;
    this.#hasDelivered = false;
    this.#sink.onBatchEnd();
  }
}
