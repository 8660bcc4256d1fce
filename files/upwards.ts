// SPDX-License-Identifier: MIT OR Apache-2.0
import { dirname } from "node:path";

/** Yields an absolute directory and all its parents, the root last. */
export function* upwards(directory: string): Generator<string> {
  for (let at = directory; ; at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}
