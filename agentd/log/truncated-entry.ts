// SPDX-License-Identifier: MIT OR Apache-2.0
import type { EntryKind, TruncatedEntry } from "../vocabulary/index.ts";

/** Stands in a page or publication for an entry that is too large. It can be read in pieces. */
export function truncatedEntry(log: string, session: string, seq: number, kind: EntryKind, bytes: number): string {
  const entry: TruncatedEntry = { log, session, seq, kind, truncated: true, bytes };
  return JSON.stringify(entry);
}
