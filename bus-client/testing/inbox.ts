// SPDX-License-Identifier: MIT OR Apache-2.0

/** Longest wait for something that a test knows will come. */
export const deadlineMs = 10_000;

/** What arrived, to be taken one by one: a test waits for an event, with a deadline, and never for time to pass. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #takers: ((item: T) => void)[] = [];

  readonly push = (item: T): void => {
    const taker = this.#takers.shift();
    if (taker) taker(item);
    else this.#items.push(item);
  };

  /** What has come and was not taken. */
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
