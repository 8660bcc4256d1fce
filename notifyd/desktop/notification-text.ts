// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes the text and the buttons of a notification. A button's label states the option's kind in our words, then the
// asker's label in parentheses, so that a misleading label cannot hide what the option does.
import { printable, printableLine } from "../../display/printable.ts";
import { truncateToWidth } from "../../display/width.ts";
import type { NotifyArguments, NotifyAsk, NotifyOption } from "../../agentd/vocabulary/index.ts";
import { breakLongWords, fitsInRows, fitsInSummary, truncateToRows } from "./rows.ts";

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
  return addsNothing(theirs, ours) ? ours : `${ours} (${theirs})`;
}

/** Whether all words of the asker's label are in ours: `Allow` beside `Allow once`. */
function addsNothing(theirs: string, ours: string): boolean {
  const words = ours.toLowerCase().split(" ");
  return (
    theirs === "" ||
    theirs
      .toLowerCase()
      .split(/ +/u)
      .every((word) => words.includes(word))
  );
}

/** Tells whether the notification shows the whole question. */
export function fitsInFull(ask: NotifyAsk, service: ServiceCapabilities): boolean {
  return service.body && !ask.incomplete && fitsInRows(`${questionOf(ask).text}\n${senderLine(ask)}`);
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
  const question = questionOf(ask);
  const text = isWhole ? question.text : truncateToRows(question.text, excerptRows);
  return notificationText(question.summary, [text, ...fullText, ...howToAnswer, senderLine(ask)], service);
}

export function tellText(
  { title, body }: NotifyArguments<"tell">,
  from: string,
  service: ServiceCapabilities,
): NotificationText {
  return notificationText(title, [truncateToRows(toPrintable(body), tellRowsMax), `from ${oneLine(from)}`], service);
}

/**
 * The summary and the body's text. What stands before the first colon of a title (`claude asks to execute: npm test`) is
 * the summary, the rest begins the body. Services cut long summaries, so if that does not fit the body repeats the title.
 */
function questionOf({ title, body }: NotifyAsk): { readonly summary: string; readonly text: string } {
  const whole = toPrintable(title);
  const [, head = whole, rest = ""] = /^(.+?): +(\S.*)$/su.exec(whole) ?? [];
  const [summary, start] = fitsInSummary(head) ? [head, rest] : [title, whole];
  return { summary, text: [start, toPrintable(body)].filter((part) => part !== "").join("\n") };
}

/** The id tells equal asks apart, which some services would show as one. */
function senderLine({ source, ask }: NotifyAsk): string {
  return `from ${oneLine(source)} (ask ${ask})`;
}

function notificationText(title: string, lines: readonly string[], { markup }: ServiceCapabilities): NotificationText {
  const body = breakLongWords(lines.filter((line) => line !== "").join("\n"));
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
