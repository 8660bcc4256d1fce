// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomId } from "../random-id.ts";

/** One that no session has. */
export function newSessionId(random: (bytes: number) => Uint8Array, taken: (id: string) => boolean): string {
  for (;;) {
    const id = randomId(random);
    if (!taken(id)) return id;
  }
}
