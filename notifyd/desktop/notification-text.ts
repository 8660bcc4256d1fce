// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes the text and the buttons of a notification. A button's label states the option's kind in our words, then the
// asker's label in parentheses, so that a misleading label cannot hide what the option does.
import { printable, printableLine } from "../../display/printable.ts";
import { truncateToWidth } from "../../display/width.ts";
import type { NotifyArguments, NotifyAsk, NotifyOption } from "../../agentd/vocabulary/index.ts";
import { truncateToRows, fitsInRows } from "./rows.ts";

/** What a notification service reports by `GetCapabilities`. */
export interface ServiceCapabilities {
  readonly buttons: boolean;
  readonly body: boolean;
  /** True if the service parses the body as markup, so `<` must be escaped. Other services would show the escapes. */
  readonly markup: boolean;
}

export interface NotificationText {
  readonly summary: string;
  /** Escaped if the service parses markup. */
  readonly body: string;
}

export interface Button {
  /** The key that notify-send prints when the button is pressed. It never contains text of the asker. */
  readonly action: string;
  readonly label: string;
}

const kindLabels: ReadonlyMap<string, string> = new Map([
  ["allow_once", "Allow once"],
  ["allow_always", "Allow always"],
  ["reject_once", "Reject once"],
  ["reject_always", "Reject always"],
  ["accept", "Accept"],
  ["decline", "Decline"],
]);
/** Option kinds that allow nothing. Any other kind may allow something. */
const refusalKinds: ReadonlySet<string> = new Set(["reject_once", "reject_always", "decline"]);

const titleColumns = 60;
const labelColumns = 60;
/** Rows of a text that does not fit; the other rows say where to read all of it. */
const excerptRows = 3;
const tellRowsMax = 60;

export function buttonLabel({ kind, label }: NotifyOption): string {
  const ours = kindLabels.get(kind) ?? `Other: ${truncateToWidth(printableLine(kind), labelColumns)}`;
  const theirs = truncateToWidth(printableLine(label), labelColumns).trim();
  return theirs === "" || theirs.toLowerCase() === ours.toLowerCase() ? ours : `${ours} (${theirs})`;
}

/** Tells whether the body shows the whole question. The summary does not count: services show one row of it, or less. */
export function fitsInFull(ask: NotifyAsk, service: ServiceCapabilities): boolean {
  return service.body && !ask.incomplete && fitsInRows(`${textOf(ask)}\n${senderLine(ask)}`);
}

/** Returns the buttons. Options that allow something are left out unless the question is shown in full. */
export function buttonsOf(ask: NotifyAsk, service: ServiceCapabilities): Button[] {
  const isWhole = fitsInFull(ask, service);
  const buttons = ask.options.flatMap((option, index) =>
    isWhole || refusalKinds.has(option.kind) ? [{ action: `o${index}`, label: buttonLabel(option) }] : [],
  );
  return buttons.length > 0 ? buttons : [{ action: "look", label: "Close" }];
}

export function askText(ask: NotifyAsk, service: ServiceCapabilities): NotificationText {
  const isWhole = fitsInFull(ask, service);
  const fullText = isWhole ? [] : [`not shown in full; all of it:\nmix notify ls ${ask.ask}`];
  const howToAnswer = service.buttons ? [] : [`answer: mix notify answer ${ask.ask} <option>`];
  const text = isWhole ? textOf(ask) : truncateToRows(textOf(ask), excerptRows);
  return notificationText(ask.title, [text, ...fullText, ...howToAnswer, senderLine(ask)], service);
}

export function tellText(
  { title, body }: NotifyArguments<"tell">,
  from: string,
  service: ServiceCapabilities,
): NotificationText {
  return notificationText(title, [truncateToRows(toPrintable(body), tellRowsMax), `from ${oneLine(from)}`], service);
}

/** The body repeats the title, since a service may cut the end of the summary. */
function textOf({ title, body }: NotifyAsk): string {
  return toPrintable(body === "" ? title : `${title}\n${body}`);
}

function senderLine({ source, label }: NotifyAsk): string {
  return `from ${oneLine(source)}${label === null ? "" : ` (${oneLine(label)})`}`;
}

function notificationText(title: string, lines: readonly string[], { markup }: ServiceCapabilities): NotificationText {
  const body = lines.filter((line) => line !== "").join("\n");
  return {
    summary: truncateToWidth(printableLine(title), titleColumns),
    body: markup ? body.replace(/[&<>]/g, (character) => entities[character] ?? character) : body,
  };
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function toPrintable(text: string): string {
  return printable(text).replaceAll("\t", "    ");
}

function oneLine(text: string): string {
  return truncateToWidth(printableLine(text), labelColumns);
}
