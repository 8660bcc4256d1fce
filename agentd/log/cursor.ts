// SPDX-License-Identifier: MIT OR Apache-2.0
// A place in a session's log that a follower keeps: `<log>/<session>/<seq>`.
import { entriesPerSession } from "./session-table.ts";

export type ParsedCursor =
  | { readonly seq: number; readonly refused?: undefined }
  /** From another log or session it is refused: to go on from there in silence would lose entries. */
  | { readonly refused: "malformed" | "other_log" | "other_session" };

export function formatCursor(log: string, session: string, seq: number): string {
  return `${log}/${session}/${seq}`;
}

/** `seq` is from 0 (before the first entry) up to the highest that a session can have. */
export function parseCursor(text: string, log: string, session: string): ParsedCursor {
  const parts = /^([a-z2-7]{12})\/([a-z2-7]{12}|instance)\/(0|[1-9][0-9]{0,9})$/.exec(text);
  if (!parts || Number(parts[3]) >= entriesPerSession) return { refused: "malformed" };
  if (parts[1] !== log) return { refused: "other_log" };
  if (parts[2] !== session) return { refused: "other_session" };
  return { seq: Number(parts[3]) };
}
