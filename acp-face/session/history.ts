// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { Gateway } from "../gateway.ts";

/** Yields a session's entries up to the `seq` of `last`, in order, as the log has them: those of over 1 MiB truncated. */
export async function* historyOf(
  gateway: Gateway,
  session: string,
  last: number,
): AsyncGenerator<Entry | TruncatedEntry> {
  for (let after: number | string | undefined = 0; after !== undefined;) {
    const { entries, next } = await gateway.page(session, after);
    for (const entry of entries) {
      if (entry.seq > last) return;
      yield entry;
    }
    after = next;
  }
}
