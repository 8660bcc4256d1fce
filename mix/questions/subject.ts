// SPDX-License-Identifier: MIT OR Apache-2.0
// Says in a few words what a question is about, for its answer line and its resolution.
import { titleWithName } from "../../agentd/vocabulary/entries.ts";
import { printableLine } from "../../display/printable.ts";
import type { ListedElicitation, ListedPermission } from "../../agentd/vocabulary/replies.ts";
import type { AskedEntry } from "../../agent-client/view/open-questions.ts";
import { truncateToWidth } from "../../display/width.ts";

/** Returns at most `columns` columns. */
export function subjectOf(asked: AskedEntry, columns: number): string {
  return truncateToWidth(printableLine(describeRequest(asked)), columns);
}

/** Says in a few words what an open request is about. */
export function subjectOfRequest(open: ListedPermission | ListedElicitation): string {
  return describeRequest({ ...open, phase: "requested" });
}

function describeRequest(asked: AskedEntry): string {
  if (asked.kind === "permission") {
    return withKind(asked.tool_call?.tool_kind, titleWithName(asked.tool_call ?? {})) || "…";
  }
  if (asked.mode === "url") return `open ${hostOf(asked.url ?? "")}`;
  return asked.message?.trim() || "…";
}

/** The host that a URL really leads to. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "no host";
}

/** A tool call's kind and title. A title that begins with the kind, such as `Read notes.txt`, says it itself. */
export function withKind(kind: string | null | undefined, title: string | null | undefined): string {
  if (!kind || !title) return kind || title || "";
  return saysKind(kind, title) ? title : `${kind} ${title}`;
}

/** Whether the title begins with the word for its kind. */
export function saysKind(kind: string, title: string): boolean {
  return title.toLowerCase().split(/\s/, 1)[0] === kind.toLowerCase();
}
