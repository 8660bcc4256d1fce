// SPDX-License-Identifier: MIT OR Apache-2.0
// Groups events into batches. A batch is what one read of the pipe brings; a timer or the agent's exit is a batch of
// its own. The sink receives all of a batch's events, then one onBatchEnd, at which a log commits.
import type { AgentEvent, Done, Outcome } from "./agent-events.ts";
import type { AgentSink } from "./agent-client.ts";

export class EventBatches {
  readonly #sink: AgentSink;
  readonly #faults = new FaultCounter();
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

  fault(fault: string, message: string, sample?: string): void {
    this.#faults.add(fault, message, sample);
    // Outside of a batch nothing would flush the fault, so a batch is started for it.
    if (this.#depth === 0) this.defer(() => {});
  }

  /** Emits the counted faults. Happens at the end of a batch, or earlier if another event must come last. */
  flushFaults(): void {
    for (const fault of this.#faults.take()) this.emit({ type: "fault", ...fault });
  }

  #end(): void {
    this.flushFaults();
    if (!this.#hasDelivered) return;
    this.#hasDelivered = false;
    this.#sink.onBatchEnd();
  }
}

interface CountedFault {
  readonly fault: string;
  readonly message: string;
  readonly sample?: string;
  readonly count: number;
}

/** Counts faults of the same kind, so that a flood of them becomes one event per batch. */
class FaultCounter {
  readonly #faults = new Map<string, { message: string; sample: string | undefined; count: number }>();

  /** Keeps the first message and sample of each kind. Kinds come from a fixed set, which bounds the map. */
  add(fault: string, message: string, sample?: string): void {
    const known = this.#faults.get(fault);
    if (known === undefined) this.#faults.set(fault, { message, sample, count: 1 });
    else known.count += 1;
  }

  /** Returns and clears the faults, in the order of their first occurrence. */
  take(): readonly CountedFault[] {
    if (this.#faults.size === 0) return [];
    const faults = [...this.#faults].map(([fault, { message, sample, count }]) =>
      sample === undefined ? { fault, message, count } : { fault, message, sample, count },
    );
    this.#faults.clear();
    return faults;
  }
}
