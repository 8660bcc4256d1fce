// SPDX-License-Identifier: MIT OR Apache-2.0
// Long work on the log, cut small: between two steps the daemon goes on, appends and answers.

/**
 * Each step is bounded, some milliseconds of it, and leaves no transaction and no read open; the work may be left
 * between any two. What the store refuses is thrown by the step that it refused.
 */
export type Steps<T> = Generator<undefined, T>;

/**
 * Takes the steps to the end, with a pause after each. A pause that rejects ends the work there, and is what the
 * promise rejects with: so a daemon that stops leaves it.
 */
export async function runSteps<T>(steps: Steps<T>, pause: () => Promise<unknown>): Promise<T> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      await pause();
    }
  } finally {
    steps.return(undefined as T);
  }
}
