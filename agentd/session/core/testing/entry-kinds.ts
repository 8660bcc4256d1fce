// SPDX-License-Identifier: MIT OR Apache-2.0
import type { EntryContent } from "../../../vocabulary/index.ts";

/** Returns the kinds of the entries, with their phase where it tells them apart. */
export const kinds = (entries: readonly EntryContent[]): string[] =>
  entries.map((entry) => {
    if (entry.kind === "state") return `state:${entry.state}`;
    if (entry.kind === "turn") return `turn:${entry.turn}:${entry.phase}`;
    if (entry.kind === "permission" || entry.kind === "elicitation") return `${entry.kind}:${entry.phase}`;
    return entry.kind;
  });
