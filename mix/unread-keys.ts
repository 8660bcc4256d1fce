// SPDX-License-Identifier: MIT OR Apache-2.0
// A terminal keeps what is typed until somebody reads it: a line may be there before the question that it seems to answer.

/** Runs when all that was typed before this call has been read from a stdin that is being read. */
export function afterUnreadKeys(run: () => void): void {
  // The event loop looks at the terminal before it runs immediates; what was there when the first of them ran, or came
  // just too late for it, has been read when the second one does.
  setImmediate(() => setImmediate(run));
}
