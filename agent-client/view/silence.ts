// SPDX-License-Identifier: MIT OR Apache-2.0
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";

/** What says nothing about whether the model works. */
const otherKinds: ReadonlySet<EntryContent["kind"]> = new Set([
  "command",
  "reply",
  "state",
  "commands",
  "options",
  "info",
  "usage",
  "notice",
  "diagnostic",
]);

/** Returns since when the model has been silent, after an entry: undefined unless agentd has reported it. */
export function foldSilence(since: string | undefined, entry: EntryContent): string | undefined {
  if (entry.kind === "diagnostic" && entry.what === "model-silent") return entry.since;
  if (entry.kind === "message" && entry.role === "user") return since;
  if (entry.kind === "turn" && entry.phase === "queued") return since;
  return otherKinds.has(entry.kind) ? since : undefined;
}
