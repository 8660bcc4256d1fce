// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds in the log what became of a person's answer, for an answer that arrived before a crash.
import { type EntryReader, readPages } from "../log/read.ts";
import type { Entry } from "../vocabulary/index.ts";
import { unusedAnswer } from "../session/core/requests/people-answers.ts";

/**
 * `used`: it resolved the request. `reported`: it was not used, and a diagnostic says so. `unused`: it was not used, and no
 * diagnostic says so yet. `gone`: the log has no such request.
 */
export type AnswerStatus = "used" | "reported" | "unused" | "gone";

/** Throws LogError if the log cannot be read. */
export function findAnswerStatus(entries: Pick<EntryReader, "page">, session: string, request: string): AnswerStatus {
  let use: AnswerStatus = "gone";
  for (const page of readPages(entries, { session, kinds: ["permission", "elicitation", "diagnostic"] })) {
    for (const text of page.entries) {
      const entry = JSON.parse(text) as Entry;
      if (entry.kind === "diagnostic" && entry.what === unusedAnswer && entry.request === request) return "reported";
      if ((entry.kind !== "permission" && entry.kind !== "elicitation") || entry.request !== request) continue;
      if (entry.phase === "requested") use = "unused";
      if (entry.phase === "resolved" && entry.via === "notify") return "used";
    }
  }
  return use;
}
