// SPDX-License-Identifier: MIT OR Apache-2.0
// Tables of sessions, options and open requests.
import { type SessionOption, titleWithName } from "../../agentd/vocabulary/entries.ts";
import type { ListedElicitation, ListedPermission, SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { homePath } from "../process/home-path.ts";
import { formatAge, formatTimeUntil } from "../../display/units.ts";
import { type Cut, formatTable, type TableFit, uncut } from "./table.ts";

export function formatSessionTable(sessions: readonly SessionSummary[], now: number, fit = uncut): string[] {
  const rows = sessions.map((one) => toSessionRow(one, now, fit));
  return formatTable(
    [["SESSION", "NAME", "AGENT", "STATE", "TURNS", "AGE", "CWD", "TITLE"], ...rows],
    fit,
    sessionCuts,
  );
}

/** The title says what a session is about, and gets the room. */
export const sessionCuts: readonly Cut[] = [
  { column: 6, min: 16, keepsEnd: true },
  { column: 2, min: 12 },
  { column: 3, min: 8 },
  { column: 4, min: 0 },
  { column: 7, min: 16 },
  { column: 1, min: 8 },
  { column: 6, min: 8, keepsEnd: true },
];

export function toSessionRow(one: SessionSummary, now: number, fit: TableFit): string[] {
  return [
    one.session,
    one.name ?? "-",
    one.parent === undefined ? one.agent : `${one.agent} (child of ${one.parent})`,
    // `asked`: a person closed it, as most sessions are.
    one.reason === undefined || one.reason === "asked" ? one.state : `${one.state} (${one.reason})`,
    String(one.turns),
    formatAge(now - Date.parse(one.created_at)),
    homePath(one.cwd, fit),
    one.title ?? "",
  ];
}

export function formatOptionTable(options: readonly SessionOption[], fit = uncut): string[] {
  const rows = options.map(({ option, value, choices, type }) => [
    option,
    String(value),
    type === "boolean" ? "true, false" : (choices ?? []).map((choice) => choice.value).join(", "),
  ]);
  const cuts = [
    { column: 2, min: 16 },
    { column: 1, min: 12 },
  ];
  return formatTable([["OPTION", "VALUE", "CHOICES"], ...rows], fit, cuts);
}

/** What people call sessions, by id. */
type Names = ReadonlyMap<string, string>;

export function formatPermissionTable(
  requests: readonly ListedPermission[],
  names: Names,
  now: number,
  fit = uncut,
): string[] {
  const rows = requests.map((one) => {
    const { tool_call: call } = one;
    return requestRow(one, call.tool_kind ?? "-", `${describeMarks(one)}${titleWithName(call) ?? ""}`, names, now);
  });
  return formatTable([[...requestHeads, "TOOL"], ...rows], fit, requestCuts);
}

const requestHeads = ["REQUEST", "SESSION", "KIND", "LEFT"];

function requestRow(
  { request, session, expires_at: end }: ListedPermission | ListedElicitation,
  kind: string,
  subject: string,
  names: Names,
  now: number,
): string[] {
  return [request, names.get(session) ?? session, kind, formatTimeUntil(end, now), subject];
}

/** A request's id begins with its session's, which may be left out. */
const requestCuts: readonly Cut[] = [
  { column: 4, min: 28 },
  { column: 1, min: 0 },
  { column: 2, min: 8 },
  { column: 4, min: 16 },
];

/** Marks requests that changed after they were asked, and requests of sub-agents. */
function describeMarks({ changed, agent_session: other, sub_agent: subAgent }: ListedPermission): string {
  const isSubAgent = (other ?? subAgent) !== undefined;
  return `${changed === undefined ? "" : "(changed) "}${isSubAgent ? "(sub-agent) " : ""}`;
}

/** Explains why a list is incomplete: agentd bounds the size of its reply. */
export function describeUnlisted(kind: "permission" | "elicitation", session: string | undefined): string {
  const where = session === undefined ? "--session" : `\`mix agent log ${session} --kind ${kind}\``;
  return `the list is incomplete because it is too long; see the rest with ${where}`;
}

export function formatElicitationTable(
  requests: readonly ListedElicitation[],
  names: Names,
  now: number,
  fit = uncut,
): string[] {
  const rows = requests.map((one) => requestRow(one, one.mode, one.message ?? "", names, now));
  return formatTable([[...requestHeads, "WHAT"], ...rows], fit, requestCuts);
}
