// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "../clock.ts";

export interface PropsChange {
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
  readonly ts: string;
  readonly cause: string;
}

/**
 * Tells of changed values: the first at once, then at most one a path within `everyMs`, and a last one after a burst,
 * so that whoever reads anew on each is never left behind.
 */
export class PropsChanged {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #tell: (change: PropsChange) => void;
  readonly #paths = new Map<string, { told: unknown; waiting: { value: unknown; cause: string } | undefined }>();
  readonly #cancels = new Map<string, () => void>();

  /** `initial`: the values that are known before anything changes. */
  constructor(
    clock: Clock,
    everyMs: number,
    initial: Readonly<Record<string, unknown>>,
    tell: (change: PropsChange) => void,
  ) {
    for (const [path, told] of Object.entries(initial)) this.#paths.set(path, { told, waiting: undefined });
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  change(path: string, value: unknown, cause: string): void {
    const state = this.#paths.get(path) ?? { told: null, waiting: undefined };
    this.#paths.set(path, state);
    if (this.#cancels.has(path)) {
      state.waiting = { value, cause };
      return;
    }
    this.#tell({ path, old: state.told, new: value, ts: new Date(this.#clock.now()).toISOString(), cause });
    state.told = value;
    this.#cancels.set(
      path,
      this.#clock.after(this.#everyMs, () => {
        this.#cancels.delete(path);
        const { waiting } = state;
        state.waiting = undefined;
        if (waiting !== undefined) this.change(path, waiting.value, waiting.cause);
      }),
    );
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
