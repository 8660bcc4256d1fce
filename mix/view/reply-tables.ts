// SPDX-License-Identifier: MIT OR Apache-2.0
// Tables of sessions, options and open requests.
import type { SessionOption } from "../../agentd/vocabulary/entries.ts";
import type { ListedElicitation, ListedPermission, SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { formatAge, formatTimeUntil } from "./units.ts";
import { truncateToWidth } from "../../display/width.ts";
import { printableLine } from "../../display/printable.ts";
import { formatTable } from "./table.ts";

export function formatSessionTable(sessions: readonly SessionSummary[], now: number): string[] {
  return formatTable([
    ["SESSION", "NAME", "AGENT", "STATE", "TURNS", "AGE", "CWD", "TITLE"],
    ...sessions.map((one) => toSessionRow(one, now)),
  ]);
}

export function toSessionRow(one: SessionSummary, now: number): string[] {
  return [
    one.session,
    one.name ?? "-",
    one.parent === undefined ? one.agent : `${one.agent} (child of ${one.parent})`,
    one.reason === undefined ? one.state : `${one.state} (${one.reason})`,
    String(one.turns),
    formatAge(now - Date.parse(one.created_at)),
    one.cwd,
    fitTitle(one.title ?? ""),
  ];
}

export function formatOptionTable(options: readonly SessionOption[]): string[] {
  return formatTable([
    ["OPTION", "VALUE", "CHOICES"],
    ...options.map(({ option, value, choices, type }) => [
      option,
      String(value),
      type === "boolean" ? "true, false" : (choices ?? []).map((choice) => choice.value).join(", "),
    ]),
  ]);
}

export function formatPermissionTable(requests: readonly ListedPermission[], now: number): string[] {
  return formatTable([
    ["REQUEST", "SESSION", "KIND", "LEFT", "TOOL"],
    ...requests.map((one) => [
      one.request,
      one.session,
      one.tool_call.tool_kind ?? "-",
      formatTimeUntil(one.expires_at, now),
      fitTitle(`${describeMarks(one)}${one.tool_call.title ?? one.tool_call.name ?? ""}`),
    ]),
  ]);
}

/** Marks requests that changed after they were asked, and requests of sub-agents. */
function describeMarks({ changed, agent_session: other }: ListedPermission): string {
  return `${changed === undefined ? "" : "(changed) "}${other === undefined ? "" : "(sub-agent) "}`;
}

/** Explains why a list is incomplete: agentd bounds the size of its reply. */
export function describeUnlisted(kind: "permission" | "elicitation", session: string | undefined): string {
  const where = session === undefined ? "--session" : `\`mix agent log ${session} --kind ${kind}\``;
  return `the list is incomplete because it is too long; see the rest with ${where}`;
}

export function formatElicitationTable(requests: readonly ListedElicitation[], now: number): string[] {
  return formatTable([
    ["REQUEST", "SESSION", "KIND", "LEFT", "WHAT"],
    ...requests.map((one) => [
      one.request,
      one.session,
      one.mode,
      formatTimeUntil(one.expires_at, now),
      fitTitle(one.message ?? ""),
    ]),
  ]);
}

function fitTitle(text: string): string {
  return truncateToWidth(printableLine(text), 60);
}
