// SPDX-License-Identifier: MIT OR Apache-2.0
// Builds the ask that `notify` shows for a request: first what agentd knows, then what the agent wrote.
import { RawJson, stringifyJson } from "../../../../json/raw-json.ts";
import { titleWithName } from "../../../vocabulary/entries.ts";
import { notifyLimits, type NotifyOption } from "../../../vocabulary/notify.ts";
import type { Draft } from "../draft.ts";
import { truncateText } from "../bounded-fields.ts";
import type { CorePorts } from "../input.ts";
import type { ElicitationDetails, PendingPermission, PendingRequest, SessionState } from "../state.ts";

/** Asks people through `notify`, now or once the service is on the Bus. */
export function askPeople(draft: Draft, pending: PendingRequest): void {
  if (draft.context.people === "off") return;
  const { state } = draft;
  const { request, expiresAt } = pending;
  const { name, id, agent } = state;
  const title = `${agent} (${name ?? id}) asks ${describeRequest(pending, draft.context.ports)}`;
  const { lines, isComplete } = toAskBody(state, pending, title.length <= notifyLimits.titleMax);
  const body = lines.join("\n");
  draft.effect({
    type: "ask_people",
    request,
    edition: editionOf(pending),
    title: truncateText(title, notifyLimits.titleMax),
    body: truncateText(body, notifyLimits.bodyMax),
    incomplete: !isComplete || body.length > notifyLimits.bodyMax,
    options: toNotifyOptions(pending),
    expiresAt,
    notified: draft.context.people === "there",
  });
  state.requests = state.requests.map((one) => (one.request === request ? { ...one, askedPeople: true } : one));
}

/** An elicitation never changes. */
export function editionOf(pending: PendingRequest): number {
  return pending.kind === "permission" ? pending.edition : 0;
}

/** Returns the choices that `notify` offers. A form, or a URL too long to show whole, can only be declined there. */
export function toNotifyOptions(pending: PendingRequest): readonly NotifyOption[] {
  if (pending.kind === "permission") {
    return pending.options.map(({ option, name, kind }) => ({
      option,
      label: truncateText(name, notifyLimits.labelMax),
      kind: truncateText(kind, notifyLimits.kindMax),
    }));
  }
  return isUrlShownWhole(pending) ? [accept, decline] : [decline];
}

const accept: NotifyOption = { option: "accept", label: "I will open it", kind: "accept" };
const decline: NotifyOption = { option: "decline", label: "Decline", kind: "decline" };

function isUrlShownWhole({ elicitation }: ElicitationDetails): boolean {
  return elicitation.mode === "url" && elicitation.url.length <= urlMax;
}

function describeRequest(pending: PendingRequest, { hostOf }: CorePorts): string {
  if (pending.kind === "elicitation") {
    const { elicitation } = pending;
    if (elicitation.mode === "url") return `to open an address at ${hostOf(elicitation.url) ?? "nowhere"}`;
    return `for: ${elicitation.message.trim() === "" ? unstated : elicitation.message}`;
  }
  const { toolCall } = pending;
  return `to ${toolCall.tool_kind ?? "run a tool without a kind"}: ${titleWithName(toolCall) ?? unstated}`;
}

const unstated = "(no details given)";

interface AskBody {
  readonly lines: readonly string[];
  /** Title and lines together show everything that is asked. */
  readonly isComplete: boolean;
}

function toAskBody({ cwd }: SessionState, pending: PendingRequest, isTitleComplete: boolean): AskBody {
  if (pending.kind === "permission") return toToolCallBody(pending, cwd, isTitleComplete);
  const { elicitation, request } = pending;
  const message = truncateText(elicitation.message, inputMax);
  const isMessageComplete = message === elicitation.message;
  if (isUrlShownWhole(pending) && elicitation.mode === "url") {
    return {
      lines: [elicitation.url, message, ...originLines(pending)],
      isComplete: isTitleComplete && isMessageComplete,
    };
  }
  const how = `mix agent answer ${request}`;
  const fill =
    elicitation.mode === "url" ? `all of it: ${how} --show` : `fill it in: ${how} field=value… (its fields: --show)`;
  return { lines: [message, ...originLines(pending), fill], isComplete: isMessageComplete };
}

/** Marks a request that a sub-agent or another agent session made, or that has changed. */
function originLines(pending: PendingRequest): string[] {
  const { changed, subAgent } = pending.kind === "permission" ? pending : { changed: [], subAgent: undefined };
  return [
    ...(subAgent === undefined ? [] : [`asked by a sub-agent: ${subAgent}`]),
    ...(pending.agentSession === undefined ? [] : [`asked by another session of the agent, ${pending.agentSession}`]),
    ...(changed.length === 0 ? [] : [`changed since it was asked: ${changed.join(", ").replaceAll("_", " ")}`]),
  ];
}

/** Truncates each part to its limit. If anything is missing, the last line tells the command that shows it all. */
function toToolCallBody(pending: PendingPermission, cwd: string, isTitleComplete: boolean): AskBody {
  const { request, toolCall, omitted } = pending;
  const { title, name, locations, raw_input: input, content } = toolCall;
  const paths = (locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string")
    .map((path) => relativeTo(cwd, path));
  const parts = [
    ...toInputTexts(input, title ?? name ?? ""),
    ...(content ?? []).map((item) => toContentText(item, paths, cwd)),
  ];
  const isComplete =
    isTitleComplete &&
    omitted.length === 0 &&
    paths.length <= pathsMax &&
    parts.every((part) => part.length <= inputMax);
  const lines = [
    ...originLines(pending),
    `in ${cwd}`,
    ...paths.slice(0, pathsMax),
    ...parts.map((part) => truncateText(part, inputMax)),
  ];
  return isComplete
    ? { lines, isComplete }
    : { lines: [...lines, `all of it: mix agent permit show ${request}`], isComplete };
}

/** Leaves out a value that equals the tool's title, since a notification has little room. */
function toInputTexts(input: unknown, title: string): string[] {
  if (input === undefined || input === null) return [];
  const isSaid = (value: unknown): boolean => value !== "" && (value === title || `\`${String(value)}\`` === title);
  if (typeof input === "string") return isSaid(input) ? [] : [input];
  if (typeof input !== "object" || Array.isArray(input) || input instanceof RawJson) return [stringifyJson(input)];
  const members = Object.entries(input);
  const left = members.filter(([, value]) => !isSaid(value));
  return left.length === 0 && members.length > 0 ? [] : [stringifyJson(Object.fromEntries(left))];
}

/** A diff begins with its path, unless that is the one path that the ask names already. */
function toContentText(item: unknown, paths: readonly string[], cwd: string): string {
  const { type, path, oldText, newText, content } = item as Readonly<Record<string, unknown>>;
  if (type !== "diff" || typeof newText !== "string") return stringifyJson(content ?? item);
  const rows = (mark: string, text: unknown): string[] =>
    typeof text === "string" && text !== "" ? text.split("\n").map((row) => `${mark} ${row}`) : [];
  const file = relativeTo(cwd, String(path));
  const head = paths.length === 1 && paths[0] === file ? [] : [file];
  return [...head, ...rows("-", oldText), ...rows("+", newText)].join("\n");
}

/** Shortens a path inside the session's directory, which the ask names. Others, and odd ones, stay as they are. */
function relativeTo(cwd: string, path: string): string {
  const inside = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : "";
  const isPlain = inside.split("/").every((part) => !["", ".", ".."].includes(part));
  return isPlain ? inside : path;
}

const pathsMax = 8;
const inputMax = 1_500;
/** Longest URL that is shown whole, on a desktop too. */
const urlMax = 1_000;
