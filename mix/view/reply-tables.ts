// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions, options and requests as tables for people.
import type { SessionOption } from "../../agentd/vocabulary/entries.ts";
import type { ListedElicitation, ListedPermission, SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { ageOf, leftUntil } from "./units.ts";
import { fitted } from "../../display/width.ts";
import { printableLine } from "../../display/printable.ts";
import { tableLines } from "./table.ts";

export function sessionTable(sessions: readonly SessionSummary[], now: number): string[] {
  return tableLines([
    ["SESSION", "NAME", "AGENT", "STATE", "TURNS", "AGE", "CWD", "TITLE"],
    ...sessions.map((one) => sessionRow(one, now)),
  ]);
}

export function sessionRow(one: SessionSummary, now: number): string[] {
  return [
    one.session,
    printableLine(one.name ?? "-"),
    printableLine(one.parent === undefined ? one.agent : `${one.agent} (child of ${one.parent})`),
    one.reason === undefined ? one.state : `${one.state} (${printableLine(one.reason)})`,
    String(one.turns),
    ageOf(now - Date.parse(one.created_at)),
    printableLine(one.cwd),
    fitted(printableLine(one.title ?? ""), titleColumnsMax),
  ];
}

export function optionTable(options: readonly SessionOption[]): string[] {
  return tableLines([
    ["OPTION", "VALUE", "CHOICES"],
    ...options.map(({ option, value, choices, type }) => [
      printableLine(option),
      printableLine(String(value)),
      type === "boolean" ? "true, false" : (choices ?? []).map((choice) => printableLine(choice.value)).join(", "),
    ]),
  ]);
}

export function requestTable(requests: readonly ListedPermission[], now: number): string[] {
  return tableLines([
    ["REQUEST", "SESSION", "KIND", "LEFT", "TOOL"],
    ...requests.map((one) => [
      one.request,
      one.session,
      printableLine(one.tool_call.tool_kind ?? "-"),
      leftUntil(one.expires_at, now),
      fitted(printableLine(`${marksOf(one)}${one.tool_call.title ?? one.tool_call.name ?? ""}`), titleColumnsMax),
    ]),
  ]);
}

/** That it is not what it was when it was asked, or not what this session itself asks. */
function marksOf({ changed, agent_session: other }: ListedPermission): string {
  return `${changed === undefined ? "" : "(changed) "}${other === undefined ? "" : "(sub-agent) "}`;
}

/** Beside a list that is not all there is. */
export function unlistedWords(kind: "permission" | "elicitation", session: string | undefined): string {
  const where = session === undefined ? "--session" : `\`mix agent log ${session} --kind ${kind}\``;
  return `there are others, too long to be listed with these: look with ${where}`;
}

export function elicitationTable(requests: readonly ListedElicitation[], now: number): string[] {
  return tableLines([
    ["REQUEST", "SESSION", "KIND", "LEFT", "WHAT"],
    ...requests.map((one) => [
      one.request,
      one.session,
      one.mode,
      leftUntil(one.expires_at, now),
      fitted(printableLine(one.message ?? ""), titleColumnsMax),
    ]),
  ]);
}

const titleColumnsMax = 60;
