// SPDX-License-Identifier: MIT OR Apache-2.0
// What one read of the pipe brings is one burst: the sink hears all of it, then once that it is over, which is where a
// log commits. A timer and the agent's end are bursts of their own.
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

  /** Runs as a burst, or as a part of the one that is running. */
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

  /** Runs as a part of the running burst, or as one of its own once the caller has returned. */
  defer(work: () => void): void {
    if (this.#depth > 0) this.run(work);
    else queueMicrotask(() => this.run(work));
  }

  /**
   * Asks something whose answer may be known at once. `done` is called in a burst in any case, and never before the
   * caller has returned: a callback that comes early only sometimes is a trap.
   */
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

  /** Something was told elsewhere. */
  noteDelivery(): void {
    this.#hasDelivered = true;
  }

  fault(fault: string, message: string, sample?: string): void {
    this.#faults.add(fault, message, sample);
    // Outside of a burst there is no end that would tell it.
    if (this.#depth === 0) this.defer(() => {});
  }

  /** Faults are told at the end of a burst; sooner where something must be last. */
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

/** Counts faults of one kind together, so that a flood of them is one report for each read of the pipe. */
class FaultCounter {
  readonly #faults = new Map<string, { message: string; sample: string | undefined; count: number }>();

  /** `fault` is one of a fixed table: the tally is as long as that. The first message and sample are kept. */
  add(fault: string, message: string, sample?: string): void {
    const known = this.#faults.get(fault);
    if (known === undefined) this.#faults.set(fault, { message, sample, count: 1 });
    else known.count += 1;
  }

  /** In the order of their first occurrence; the tally is empty afterwards. */
  take(): readonly CountedFault[] {
    if (this.#faults.size === 0) return [];
    const faults = [...this.#faults].map(([fault, { message, sample, count }]) =>
      sample === undefined ? { fault, message, count } : { fault, message, sample, count },
    );
    this.#faults.clear();
    return faults;
  }
}
