// SPDX-License-Identifier: MIT OR Apache-2.0
// A notification's words. What an option does is said in our words, by its kind; what its asker calls it comes after.
import type { NotifyArguments, NotifyAsk, NotifyOption } from "../../agentd/vocabulary/index.ts";
import { asMarkup, visible } from "./visible.ts";

const kinds: ReadonlyMap<string, string> = new Map([
  ["allow_once", "Allow once"],
  ["allow_always", "Allow always"],
  ["reject_once", "Reject once"],
  ["reject_always", "Reject always"],
  ["accept", "Accept"],
  ["decline", "Decline"],
]);

const titleMax = 120;
const bodyMax = 2_000;
const labelMax = 60;

export function buttonLabel({ kind, label }: NotifyOption): string {
  const ours = kinds.get(kind) ?? `Other: ${visible(kind, labelMax)}`;
  const theirs = visible(label, labelMax).trim();
  return theirs === "" || theirs.toLowerCase() === ours.toLowerCase() ? ours : `${ours} (${theirs})`;
}

/** Summary and body, the body as markup. `withoutButtons`: how to answer is said instead. */
export function askWords(ask: NotifyAsk, withoutButtons: boolean): readonly [string, string] {
  const from = `from ${visible(ask.source, labelMax)}${ask.label === null ? "" : ` (${visible(ask.label, labelMax)})`}`;
  const how = withoutButtons ? [`answer: mix notify answer ${ask.ask} <option>`] : [];
  const body = [visible(ask.body, bodyMax, true), from, ...how].filter((line) => line !== "");
  return [visible(ask.title, titleMax), asMarkup(body.join("\n"))];
}

export function tellWords({ title, body }: NotifyArguments<"tell">, from: string): readonly [string, string] {
  const lines = [visible(body, bodyMax, true), `from ${visible(from, labelMax)}`].filter((line) => line !== "");
  return [visible(title, titleMax), asMarkup(lines.join("\n"))];
}
