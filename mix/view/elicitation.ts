// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows elicitations. All text but the request's id comes from the agent. A URL is shown whole, with the host that it
// really leads to; mix never opens it.
import type { ElicitationEntry } from "../../agentd/vocabulary/entries.ts";
import { type FormField, formFields } from "../../agent-client/view/form-fields.ts";
import { jsonText } from "../process/json-text.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { describeExpiry, describeResolver } from "./permission.ts";
import { hostOf } from "../questions/subject.ts";
import type { Style, Text } from "../../display/styled.ts";

export interface ElicitationRequest extends Pick<
  ElicitationEntry,
  "request" | "mode" | "message" | "schema" | "url" | "agent_session"
> {
  /** ISO times. Without both of them, the time left is not shown. */
  readonly now?: string;
  readonly expires_at?: string | null;
}

/** Renders an elicitation, with the commands that answer it while `isOpen`. */
export function renderElicitation(asked: ElicitationRequest, style: Style, isOpen = true): Text[] {
  const [first = "", ...further] = printable(asked.message ?? "").split("\n");
  const what = asked.mode === "url" ? "asks you to open a URL" : "asks for input";
  return [
    style.question(`? the agent ${what}: ${first}`),
    ...further.map((line) => `  ${line}`),
    ...(asked.agent_session === undefined
      ? []
      : [style.warn(`  ! asked by another session of this agent: ${printableLine(asked.agent_session)}`)]),
    ...(asked.mode === "url" ? renderAddress(asked.url ?? "") : formFields(asked.schema).flatMap(renderField)),
    ...(isOpen ? renderAnswerHint(asked).map(style.faint) : []),
  ];
}

/** Renders how an elicitation ended. `about` names it where it is not shown right above. */
export function renderElicitationResolution(
  entry: ElicitationEntry,
  style: Style,
  about?: string,
  self?: string,
): Text {
  const content = entry.content === undefined ? "" : `: ${printableLine(jsonText(entry.content))}`;
  const what = about === undefined ? "" : `: ${about}`;
  return style.faint(
    `  → ${outcomeTexts[entry.outcome ?? "cancel"]}${what}${content} (${describeResolver(entry, self)})`,
  );
}

const outcomeTexts = { accept: "answered", decline: "declined", cancel: "cancelled" } as const;

function renderAddress(url: string): string[] {
  return [`  ${printableLine(url)}`, `  leads to: ${printableLine(hostOf(url))}`];
}

function renderField(field: FormField): string[] {
  const { name, type, required, title, description, choices, bounds } = field;
  const named = (choices ?? []).map((one) => (one.title === undefined ? one.value : `${one.value} (${one.title})`));
  const what = type === "array" ? "some of" : choices === undefined ? type : "one of";
  const kind = named.length === 0 ? what : `${what} ${named.join(", ")}`;
  const must = [...(required ? ["required"] : []), ...bounds].map((words) => `, ${words}`).join("");
  const standard = field.default === undefined ? "" : `, default ${jsonText(field.default)}`;
  const words = [title, description].filter((text) => text !== undefined).join(": ");
  return [
    `  ${printableLine(name)}  ${printableLine(`${kind}${must}${standard}`)}`,
    ...(words === "" ? [] : [`    ${printableLine(words)}`]),
  ];
}

function renderAnswerHint(asked: ElicitationRequest): string[] {
  const request = printableLine(asked.request);
  const accept = asked.mode === "url" ? `mix agent answer ${request}` : `mix agent answer ${request} field=value…`;
  return [
    `  answer: ${accept}   or: --decline, --cancel${describeExpiry(asked)}`,
    ...(asked.mode === "url" ? [] : ["  Answers are logged: do not enter passwords or keys."]),
  ];
}
