// SPDX-License-Identifier: MIT OR Apache-2.0
// A request on its way to people, by the service `notify`. What they are shown says first what agentd knows, then what the
// agent wrote.
import { RawJson, stringifyJson } from "../../../../json/raw-json.ts";
import { notifyLimits, type NotifyOption } from "../../../vocabulary/notify.ts";
import type { Draft } from "../draft.ts";
import { cut } from "../fit.ts";
import type { Readings } from "../input.ts";
import type { OpenElicitation, OpenPermission, OpenRequest, SessionState } from "../state.ts";

/** Has people asked, now or when their service is there. */
export function askPeople(draft: Draft, open: OpenRequest): void {
  if (draft.context.people === "off") return;
  const { state } = draft;
  const { request, expiresAt } = open;
  const { name, id, agent } = state;
  const title = `${agent} (${name ?? id}) asks ${whatFor(open, draft.context.readings)}`;
  const { lines, isWhole } = wordsOf(state, open, title.length <= notifyLimits.titleMax);
  const body = lines.join("\n");
  draft.effect({
    type: "ask_people",
    request,
    edition: editionOf(open),
    title: cut(title, notifyLimits.titleMax),
    body: cut(body, notifyLimits.bodyMax),
    incomplete: !isWhole || body.length > notifyLimits.bodyMax,
    options: choicesOf(open),
    expiresAt,
    notified: draft.context.people === "there",
  });
  state.requests = state.requests.map((one) => (one.request === request ? { ...one, askedPeople: true } : one));
}

export function editionOf(open: OpenRequest): number {
  return open.kind === "permission" ? open.edition : 0;
}

/** What people may choose where they are asked. A form is filled in elsewhere, and so is an address too long to be shown whole. */
export function choicesOf(open: OpenRequest): readonly NotifyOption[] {
  if (open.kind === "permission") {
    return open.options.map(({ option, name, kind }) => ({
      option,
      label: cut(name, notifyLimits.labelMax),
      kind: cut(kind, notifyLimits.kindMax),
    }));
  }
  return isShownWhole(open) ? [accept, decline] : [decline];
}

const accept: NotifyOption = { option: "accept", label: "I will open it", kind: "accept" };
const decline: NotifyOption = { option: "decline", label: "Decline", kind: "decline" };

function isShownWhole({ asked }: OpenElicitation): boolean {
  return asked.mode === "url" && asked.url.length <= urlMax;
}

function whatFor(open: OpenRequest, { hostOf }: Readings): string {
  if (open.kind === "elicitation") {
    const { asked } = open;
    if (asked.mode === "url") return `to open an address at ${hostOf(asked.url) ?? "nowhere"}`;
    return `to be told: ${asked.message.trim() === "" ? unsaid : asked.message}`;
  }
  const { title, name, tool_kind: kind } = open.shown.value;
  return `to ${kind ?? "do something without a kind"}: ${title ?? name ?? unsaid}`;
}

const unsaid = "it does not say what";

interface Words {
  readonly lines: readonly string[];
  /** Nothing of what is asked is missing in them and in the title. */
  readonly isWhole: boolean;
}

function wordsOf({ cwd }: SessionState, open: OpenRequest, isTitleWhole: boolean): Words {
  if (open.kind === "permission") return toolWords(open, cwd, isTitleWhole);
  const { asked, request } = open;
  const message = cut(asked.message, inputMax);
  const isMessageWhole = message === asked.message;
  if (isShownWhole(open) && asked.mode === "url") {
    return { lines: [asked.url, message, ...originLines(open)], isWhole: isTitleWhole && isMessageWhole };
  }
  const how = `mix agent answer ${request}`;
  const fill =
    asked.mode === "url" ? `all of it: ${how} --show` : `fill it in: ${how} field=value… (its fields: --show)`;
  return { lines: [message, ...originLines(open), fill], isWhole: isMessageWhole };
}

/** What tells this question from one that the session itself has just asked. */
function originLines(open: OpenRequest): string[] {
  const changed = open.kind === "permission" ? open.changed : [];
  return [
    ...(open.agentSession === undefined ? [] : [`asked by another session of the agent, ${open.agentSession}`]),
    ...(changed.length === 0 ? [] : [`changed since it was asked: ${changed.join(", ").replaceAll("_", " ")}`]),
  ];
}

/** Each part as long as it may be; where one is cut or missing, the last line says where all of it is. */
function toolWords(open: OpenPermission, cwd: string, isTitleWhole: boolean): Words {
  const { request, shown, leftOut } = open;
  const { title, name, locations, raw_input: input, content } = shown.value;
  const paths = (locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string");
  const parts = [...inputTexts(input, title ?? name ?? ""), ...(content ?? []).map(contentText)];
  const isWhole =
    isTitleWhole && leftOut.length === 0 && paths.length <= pathsMax && parts.every((part) => part.length <= inputMax);
  const lines = [
    ...originLines(open),
    `in ${cwd}`,
    ...paths.slice(0, pathsMax),
    ...parts.map((part) => cut(part, inputMax)),
  ];
  return isWhole ? { lines, isWhole } : { lines: [...lines, `all of it: mix agent permit show ${request}`], isWhole };
}

/** A value that is the tool's title, to the letter, is not said again: a notification has little room. */
function inputTexts(input: unknown, title: string): string[] {
  if (input === undefined || input === null) return [];
  const isSaid = (value: unknown): boolean => value !== "" && (value === title || `\`${String(value)}\`` === title);
  if (typeof input === "string") return isSaid(input) ? [] : [input];
  if (typeof input !== "object" || Array.isArray(input) || input instanceof RawJson) return [stringifyJson(input)];
  const members = Object.entries(input);
  const left = members.filter(([, value]) => !isSaid(value));
  return left.length === 0 && members.length > 0 ? [] : [stringifyJson(Object.fromEntries(left))];
}

function contentText(item: unknown): string {
  const { type, path, oldText, newText, content } = item as Readonly<Record<string, unknown>>;
  if (type !== "diff" || typeof newText !== "string") return stringifyJson(content ?? item);
  const rows = (mark: string, text: unknown): string[] =>
    typeof text === "string" && text !== "" ? text.split("\n").map((row) => `${mark} ${row}`) : [];
  return [String(path), ...rows("-", oldText), ...rows("+", newText)].join("\n");
}

const pathsMax = 8;
const inputMax = 1_500;
/** Of an address that is shown whole, on a desktop too. */
const urlMax = 1_000;
