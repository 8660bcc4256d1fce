// SPDX-License-Identifier: MIT OR Apache-2.0
// Questions that nobody answered in time: an agent goes on after them as after a no, and a person who was away should know.
import type { Entry } from "../agentd/vocabulary/entries.ts";

export function isUnanswered(entry: Entry): boolean {
  return (entry.kind === "permission" || entry.kind === "elicitation") && entry.via === "timeout";
}

/** Undefined where there is nothing to say. */
export function unansweredWords(count: number): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? "question was" : "questions were"} refused: nobody answered`;
}
