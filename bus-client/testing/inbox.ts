// SPDX-License-Identifier: MIT OR Apache-2.0

/** The longest wait for an event that a test expects. */
export const deadlineMs = 10_000;

/** A queue of events. A test awaits the next one with a deadline instead of sleeping. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #takers: ((item: T) => void)[] = [];

  readonly push = (item: T): void => {
    const taker = this.#takers.shift();
    if (taker) taker(item);
    else this.#items.push(item);
  };

  /** The items that have arrived and were not taken. */
  get waiting(): readonly T[] {
    return this.#items;
  }

  next(what = "the next item"): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${what} did not come within ${deadlineMs} ms`)), deadlineMs);
      this.#takers.push((came) => {
        clearTimeout(timer);
        resolve(came);
      });
    });
  }

  async nextWhere(matches: (item: T) => boolean, what?: string): Promise<T> {
    for (;;) {
      const item = await this.next(what);
      if (matches(item)) return item;
    }
  }
}
