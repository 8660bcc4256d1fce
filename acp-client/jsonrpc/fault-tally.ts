// SPDX-License-Identifier: MIT OR Apache-2.0

export interface TalliedFault {
  readonly fault: string;
  readonly message: string;
  readonly sample?: string;
  readonly count: number;
}

/** Counts faults of one kind together, so that a flood of them is one report for each read of the pipe. */
export class FaultTally {
  readonly #faults = new Map<string, { message: string; sample: string | undefined; count: number }>();

  /** `fault` is one of a fixed table: the tally is as long as that. The first message and sample are kept. */
  add(fault: string, message: string, sample?: string): void {
    const known = this.#faults.get(fault);
    if (known === undefined) this.#faults.set(fault, { message, sample, count: 1 });
    else known.count += 1;
  }

  /** In the order of their first occurrence; the tally is empty afterwards. */
  take(): readonly TalliedFault[] {
    if (this.#faults.size === 0) return [];
    const faults = [...this.#faults].map(([fault, { message, sample, count }]) =>
      sample === undefined ? { fault, message, count } : { fault, message, sample, count },
    );
    this.#faults.clear();
    return faults;
  }
}
