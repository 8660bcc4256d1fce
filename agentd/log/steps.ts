// SPDX-License-Identifier: MIT OR Apache-2.0
// Long work on the log is divided into steps, so that the daemon can append and answer in between.

/**
 * A step takes some milliseconds, and leaves no transaction and no read open. The work can be abandoned between any two
 * steps. A step throws LogError if the store fails.
 */
export type Steps<T> = Generator<undefined, T>;

/** Runs the steps to the end, with a pause after each. If a pause rejects, abandons the work and rejects with that. */
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
