// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Writable } from "node:stream";

/**
 * Returns a function to call before each write. All writes of one tick then make one system call, which about doubles the
 * rate of small messages to one reader.
 */
export function corkPerTick(socket: Writable): () => void {
  let corked = false;
  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  return () => {
    if (corked) return;
    corked = true;
    socket.cork();
    process.nextTick(uncork);
  };
}
