// SPDX-License-Identifier: MIT OR Apache-2.0
import { dirname } from "node:path";

/** An absolute directory and all above it, the root last. */
export function* upwards(directory: string): Generator<string> {
  for (let at = directory; ; at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}
