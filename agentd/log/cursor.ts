// SPDX-License-Identifier: MIT OR Apache-2.0
// Cursors: a follower's position in a session's log, written `<log>/<session>/<seq>`.
import { entriesPerSession } from "./session-table.ts";

export type ParsedCursor =
  | { readonly seq: number; readonly refused?: undefined }
  /** A cursor of another log or session is an error, since following it silently would skip entries. */
  | { readonly refused: "malformed" | "other_log" | "other_session" };

export function formatCursor(log: string, session: string, seq: number): string {
  return `${log}/${session}/${seq}`;
}

/** `seq` is 0 (before the first entry) to the highest seq that a session can have. */
export function parseCursor(text: string, log: string, session: string): ParsedCursor {
  const parts = /^([a-z2-7]{12})\/([a-z2-7]{12}|instance)\/(0|[1-9][0-9]{0,9})$/.exec(text);
  if (!parts || Number(parts[3]) >= entriesPerSession) return { refused: "malformed" };
  if (parts[1] !== log) return { refused: "other_log" };
  if (parts[2] !== session) return { refused: "other_session" };
  return { seq: Number(parts[3]) };
}
