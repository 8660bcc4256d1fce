// SPDX-License-Identifier: MIT OR Apache-2.0
// A request on its way to people, by the service `notify`. What they are shown says first what agentd knows, then what the
// agent wrote.
import { stringifyJson } from "../../json/raw-json.ts";
import { type NotifyOption, notifyLimits } from "../vocabulary/index.ts";
import type { Draft } from "./draft.ts";
import { cut } from "./fit.ts";
import type { OpenElicitation, OpenPermission, OpenRequest, SessionState } from "./state.ts";

/** Has people asked, now or when their service is there. */
export function askPeople(draft: Draft, open: OpenRequest): void {
  if (draft.context.people === "off") return;
  const { state } = draft;
  const { request, expiresAt } = open;
  const { name, id, agent } = state;
  draft.effect({
    type: "ask_people",
    request,
    edition: editionOf(open),
    title: cut(`${agent} (${name ?? id}) asks ${whatFor(open)}`, notifyLimits.titleMax),
    body: cut(linesOf(state, open).join("\n"), notifyLimits.bodyMax),
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

function whatFor(open: OpenRequest): string {
  if (open.kind === "elicitation") {
    const { asked } = open;
    if (asked.mode === "url") return `to open an address at ${hostOf(asked.url)}`;
    return `to be told: ${asked.message.trim() === "" ? unsaid : asked.message}`;
  }
  const { title, name, tool_kind: kind } = open.shown.value;
  return `to ${kind ?? "do something without a kind"}: ${title ?? name ?? unsaid}`;
}

const unsaid = "it does not say what";

function linesOf({ cwd }: SessionState, open: OpenRequest): string[] {
  if (open.kind === "permission") return [...originLines(open), `in ${cwd}`, ...toolLines(open)];
  const { asked, request } = open;
  const message = cut(asked.message, inputMax);
  if (isShownWhole(open) && asked.mode === "url") return [asked.url, message, ...originLines(open)];
  const how = `mix agent answer ${request}`;
  return [
    message,
    ...originLines(open),
    asked.mode === "url" ? `all of it: ${how} --show` : `fill it in: ${how} field=value… (its fields: --show)`,
  ];
}

/** What tells this question from one that the session itself has just asked. */
function originLines(open: OpenRequest): string[] {
  const changed = open.kind === "permission" ? open.changed : [];
  return [
    ...(open.agentSession === undefined ? [] : [`asked by another session of the agent: ${open.agentSession}`]),
    ...(changed.length === 0 ? [] : [`changed since it was first asked: ${changed.join(", ")}`]),
  ];
}

function toolLines({ request, shown }: OpenPermission): string[] {
  const { locations, raw_input: input } = shown.value;
  const paths = (locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string");
  const given = input === undefined || input === null ? [] : [typeof input === "string" ? input : stringifyJson(input)];
  return [
    ...paths.slice(0, pathsMax),
    ...given.map((text) => cut(text, inputMax)),
    `all of it: mix agent permit show ${request}`,
  ];
}

const pathsMax = 8;
const inputMax = 1_500;
/** Of an address that is shown whole, on a desktop too. */
const urlMax = 1_000;

/** Where an address really leads, whatever it looks like. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "nowhere";
}
