// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission on its way to people, by the service `notify`. What they are shown says first what agentd knows, then what
// the agent wrote.
import { type NotifyOption, notifyLimits } from "../vocabulary/index.ts";
import type { Draft } from "./draft.ts";
import type { OpenPermission, SessionState } from "./state.ts";

/** Has people asked, now or when their service is there. */
export function askPeople(draft: Draft, open: OpenPermission): void {
  if (draft.context.people === "off") return;
  const { state } = draft;
  draft.effect({
    type: "ask_people",
    request: open.request,
    title: cut(titleOf(state, open), notifyLimits.titleMax),
    body: cut(bodyOf(state, open), notifyLimits.bodyMax),
    options: open.options.map(({ option, name, kind }): NotifyOption => ({
      option,
      label: cut(name, notifyLimits.labelMax),
      kind: cut(kind, notifyLimits.kindMax),
    })),
    expiresAt: open.expiresAt,
    notified: draft.context.people === "there",
  });
  state.requests = state.requests.map((one) => (one.request === open.request ? { ...one, asked: true } : one));
}

/** What is over is not asked any more, for whatever reason it is. */
export function withdrawAsk(draft: Draft, { request, asked }: OpenPermission, reason: string): void {
  if (asked) draft.effect({ type: "withdraw_ask", request, reason });
}

function titleOf({ agent, name, id }: SessionState, { toolCall }: OpenPermission): string {
  const what = toolCall.title ?? toolCall.name ?? "it does not say what";
  return `${agent} (${name ?? id}) asks to ${toolCall.tool_kind ?? "do something without a kind"}: ${what}`;
}

function bodyOf({ cwd }: SessionState, { request, toolCall }: OpenPermission): string {
  const paths = (toolCall.locations ?? [])
    .map((location) => (location as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string")
    .slice(0, pathsMax);
  const input = toolCall.raw_input === undefined || toolCall.raw_input === null ? undefined : toolCall.raw_input;
  const lines = [
    `in ${cwd}`,
    ...paths,
    ...(input === undefined ? [] : [cut(typeof input === "string" ? input : JSON.stringify(input), inputMax)]),
    `all of it: mix agent permit show ${request}`,
  ];
  return lines.join("\n");
}

const pathsMax = 8;
const inputMax = 1_500;

/** At most so many UTF-16 units, no character cut in two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
