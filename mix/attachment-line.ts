// SPDX-License-Identifier: MIT OR Apache-2.0
// What a line means that a person typed below a live view. Commands begin with a colon: a slash belongs to the agents.
import type { ElicitationEntry, PermissionEntry } from "../agentd/vocabulary/entries.ts";
import { fieldValue, formFields } from "./form-fields.ts";

export type AskedEntry = PermissionEntry | ElicitationEntry;

export type LineMeaning =
  | { readonly kind: "nothing" | "cancel" | "close" | "detach" }
  | { readonly kind: "answer"; readonly request: string; readonly option: string }
  | {
      readonly kind: "elicitation";
      readonly request: string;
      readonly action: "accept" | "decline";
      readonly content?: Readonly<Record<string, string | number | boolean>>;
    }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "words"; readonly text: string };

export function lineMeaning(line: string, question: AskedEntry | undefined, takesPrompts: boolean): LineMeaning {
  const written = line.trim();
  if (written === "") return { kind: "nothing" };
  if (question?.kind === "elicitation" && written === ":decline") {
    return { kind: "elicitation", request: question.request, action: "decline" };
  }
  if (written.startsWith(":")) return commandMeaning(written.slice(1));
  if (question?.kind === "elicitation") return toldMeaning(question, written);
  if (question !== undefined) {
    const option = chosenOption(question, written);
    // A prompt in place of an answer would wait behind the very question that it does not answer.
    if (option === undefined) return { kind: "words", text: `no answer ${written}; a number, or :cancel, :detach` };
    return { kind: "answer", request: question.request, option };
  }
  return takesPrompts ? { kind: "prompt", text: line } : { kind: "nothing" };
}

/** Simple ones alone: a form of one field, and whether an address will be opened. */
function toldMeaning({ request, mode, schema }: ElicitationEntry, written: string): LineMeaning {
  const [field, ...others] = mode === "url" ? [] : formFields(schema);
  if (mode === "url" && written === "yes") return { kind: "elicitation", request, action: "accept" };
  if (field !== undefined && others.length === 0 && field.type !== "array") {
    const content = { [field.name]: fieldValue(field, written) };
    return { kind: "elicitation", request, action: "accept", content };
  }
  const how = mode === "url" ? "yes when you will open it" : `mix agent answer ${request} field=value…`;
  return { kind: "words", text: `${how}; or :decline, :cancel, :detach` };
}

function commandMeaning(command: string): LineMeaning {
  if (command === "cancel" || command === "close" || command === "detach") return { kind: command };
  if (command === "d" || command === "q") return { kind: "detach" };
  return { kind: "words", text: ":cancel the turn · :close the session · :detach and let it go on" };
}

/** By its number, or by its option's own name. */
function chosenOption(question: PermissionEntry, written: string): string | undefined {
  const byNumber = /^\d{1,3}$/.test(written) ? question.options?.[Number(written) - 1] : undefined;
  return (byNumber ?? question.options?.find(({ option }) => option === written))?.option;
}
