// SPDX-License-Identifier: MIT OR Apache-2.0
// A notification's words. What an option does is said in our words, by its kind; what its asker calls it comes after.
import { printable, printableLine } from "../../display/printable.ts";
import { truncateToWidth } from "../../display/width.ts";
import type { NotifyArguments, NotifyAsk, NotifyOption } from "../../agentd/vocabulary/index.ts";
import { beginning, fits } from "./rows.ts";

/** What a notification service says that it can do. */
export interface Service {
  readonly buttons: boolean;
  readonly body: boolean;
  /** It reads the body as markup, so `<` must be escaped; one that does not would show the escapes. */
  readonly markup: boolean;
}

export interface Words {
  readonly summary: string;
  /** As the service reads it. */
  readonly body: string;
}

export interface Button {
  /** By what notify-send tells which button was pressed; an option's own text never becomes one. */
  readonly action: string;
  readonly label: string;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["allow_once", "Allow once"],
  ["allow_always", "Allow always"],
  ["reject_once", "Reject once"],
  ["reject_always", "Reject always"],
  ["accept", "Accept"],
  ["decline", "Decline"],
]);
/** Kinds of options that let an agent do nothing; all others let it do something, or may. */
const refusals: ReadonlySet<string> = new Set(["reject_once", "reject_always", "decline"]);

const titleColumns = 60;
const labelColumns = 60;
/** How much is shown of a text that does not fit; the other rows say where all of it is. */
const beginningRows = 3;
const toldRows = 60;

export function buttonLabel({ kind, label }: NotifyOption): string {
  const ours = kinds.get(kind) ?? `Other: ${truncateToWidth(printableLine(kind), labelColumns)}`;
  const theirs = truncateToWidth(printableLine(label), labelColumns).trim();
  return theirs === "" || theirs.toLowerCase() === ours.toLowerCase() ? ours : `${ours} (${theirs})`;
}

/** Whether a person sees all that is asked, in the body: of the summary services show one row, and less. */
export function isSeenWhole(ask: NotifyAsk, service: Service): boolean {
  return service.body && !ask.incomplete && fits(`${textOf(ask)}\n${fromWords(ask)}`);
}

/** Nobody who does not see all of the question is offered a yes. */
export function buttonsOf(ask: NotifyAsk, service: Service): Button[] {
  const isWhole = isSeenWhole(ask, service);
  const buttons = ask.options.flatMap((option, index) =>
    isWhole || refusals.has(option.kind) ? [{ action: `o${index}`, label: buttonLabel(option) }] : [],
  );
  return buttons.length > 0 ? buttons : [{ action: "look", label: "Close" }];
}

export function askWords(ask: NotifyAsk, service: Service): Words {
  const isWhole = isSeenWhole(ask, service);
  const look = isWhole ? [] : [`not shown whole; all of it: mix notify ls ${ask.ask}`];
  const how = service.buttons ? [] : [`answer: mix notify answer ${ask.ask} <option>`];
  const text = isWhole ? textOf(ask) : beginning(textOf(ask), beginningRows);
  return words(ask.title, [text, ...look, ...how, fromWords(ask)], service);
}

export function tellWords({ title, body }: NotifyArguments<"tell">, from: string, service: Service): Words {
  return words(title, [beginning(shown(body), toldRows), `from ${oneLine(from)}`], service);
}

/** The title too: of a summary the end may be out of sight. */
function textOf({ title, body }: NotifyAsk): string {
  return shown(body === "" ? title : `${title}\n${body}`);
}

function fromWords({ source, label }: NotifyAsk): string {
  return `from ${oneLine(source)}${label === null ? "" : ` (${oneLine(label)})`}`;
}

function words(title: string, lines: readonly string[], { markup }: Service): Words {
  const body = lines.filter((line) => line !== "").join("\n");
  return {
    summary: truncateToWidth(printableLine(title), titleColumns),
    body: markup ? body.replace(/[&<>]/g, (character) => entities[character] ?? character) : body,
  };
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function shown(text: string): string {
  return printable(text).replaceAll("\t", "    ");
}

function oneLine(text: string): string {
  return truncateToWidth(printableLine(text), labelColumns);
}
