// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Writable } from "node:stream";

/**
 * Call what comes back before each write: all writes of one tick then leave in one system call, which about doubles the
 * rate at which small messages go to one reader.
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
