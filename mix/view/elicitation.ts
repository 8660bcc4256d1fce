// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent wants to be told, as people see it. Every word but the request's id is the agent's; an address is shown
// whole, with the host that it really leads to, and nothing here opens it.
import type { ElicitationEntry } from "../../agentd/vocabulary/entries.ts";
import { type FormField, formFields } from "../form-fields.ts";
import { jsonText } from "../process/json-text.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { describeExpiry, describeResolver } from "./permission.ts";
import { hostOf } from "../questions/subject.ts";
import type { Style, Text } from "../../display/styled.ts";

export interface ElicitationQuestion extends Pick<
  ElicitationEntry,
  "request" | "mode" | "message" | "schema" | "url" | "agent_session"
> {
  readonly now?: string;
  readonly expires_at?: string | null;
}

/** `isOpen` false: without the way to answer it. */
export function renderElicitation(asked: ElicitationQuestion, style: Style, isOpen = true): Text[] {
  const [first = "", ...further] = printable(asked.message ?? "").split("\n");
  const what = asked.mode === "url" ? "wants you to open an address" : "wants to be told";
  return [
    style.bold(style.yellow(`? it ${what}: ${first}`)),
    ...further.map((line) => `  ${line}`),
    ...(asked.agent_session === undefined
      ? []
      : [style.yellow(`  ! asked by another session of the agent, ${printableLine(asked.agent_session)}`)]),
    ...(asked.mode === "url" ? renderAddress(asked.url ?? "") : formFields(asked.schema).flatMap(renderField)),
    ...(isOpen ? renderAnswerHint(asked).map(style.dim) : []),
  ];
}

/** `about`: which one it was, where that does not stand right above. */
export function renderElicitationResolution(entry: ElicitationEntry, style: Style, about?: string): Text {
  const content = entry.content === undefined ? "" : `: ${printableLine(jsonText(entry.content))}`;
  const what = about === undefined ? "" : `: ${about}`;
  return style.dim(`  → ${outcomeTexts[entry.outcome ?? "cancel"]}${what}${content} (${describeResolver(entry)})`);
}

const outcomeTexts = { accept: "answered", decline: "declined", cancel: "cancelled" } as const;

function renderAddress(url: string): string[] {
  return [`  ${printableLine(url)}`, `  leads to: ${printableLine(hostOf(url))}`];
}

function renderField(field: FormField): string[] {
  const { name, type, required, title, description, choices, bounds } = field;
  const facts = [
    type === "array" ? "some of" : choices === undefined ? type : "one of",
    ...(choices ?? []).map((choice) =>
      choice.title === undefined ? choice.value : `${choice.value} (${choice.title})`,
    ),
  ];
  const kind = `${facts[0]}${facts.length > 1 ? ` ${facts.slice(1).join(", ")}` : ""}`;
  const must = [...(required ? ["required"] : []), ...bounds].map((words) => `, ${words}`).join("");
  const standard = field.default === undefined ? "" : `, ${jsonText(field.default)} where left out`;
  const words = [title, description].filter((text) => text !== undefined).join(": ");
  return [
    `  ${printableLine(name)}  ${printableLine(`${kind}${must}${standard}`)}`,
    ...(words === "" ? [] : [`    ${printableLine(words)}`]),
  ];
}

function renderAnswerHint(asked: ElicitationQuestion): string[] {
  const request = printableLine(asked.request);
  const accept = asked.mode === "url" ? `mix agent answer ${request}` : `mix agent answer ${request} field=value…`;
  return [
    `  answer: ${accept}   or: --decline, --cancel${describeExpiry(asked)}`,
    ...(asked.mode === "url" ? [] : ["  What you answer is logged: give no passwords and no keys."]),
  ];
}
