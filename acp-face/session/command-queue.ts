// SPDX-License-Identifier: MIT OR Apache-2.0

/** Runs the commands of one session one after the other, in the order of the calls. Each of them must end. */
export class CommandQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(command: () => Promise<T>): Promise<T> {
    const result = this.#last.then(command);
    this.#last = result.catch(() => {});
    return result;
  }
}
