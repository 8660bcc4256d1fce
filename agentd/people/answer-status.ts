// SPDX-License-Identifier: MIT OR Apache-2.0
// What the log knows of a person's answer that the last agentd may have died over.
import type { EntryReader } from "../log/read.ts";
import type { Entry } from "../vocabulary/index.ts";
import { unusedAnswer } from "../session/core/requests/people-answers.ts";

/**
 * `used`: it is what the request was resolved by. `told`: it was not used, and that is said already. `unused`: nobody has
 * been told. `gone`: the log has no such request (any more).
 */
export type AnswerStatus = "used" | "told" | "unused" | "gone";

/** Throws LogError where the store fails. */
export function findAnswerStatus(entries: Pick<EntryReader, "page">, session: string, request: string): AnswerStatus {
  let use: AnswerStatus = "gone";
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = entries.page({ session, after, kinds: ["permission", "elicitation", "diagnostic"] });
    for (const text of page.entries) {
      const entry = JSON.parse(text) as Entry;
      if (entry.kind === "diagnostic" && entry.what === unusedAnswer && entry.request === request) return "told";
      if ((entry.kind !== "permission" && entry.kind !== "elicitation") || entry.request !== request) continue;
      if (entry.phase === "requested") use = "unused";
      if (entry.phase === "resolved" && entry.via === "notify") return "used";
    }
    after = page.next;
  }
  return use;
}
