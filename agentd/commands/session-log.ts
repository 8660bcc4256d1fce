// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.log: a page of a session's entries, as JSON texts from the log, or a piece of one large entry.
import type { Answer } from "../../bus-client/index.ts";
import type { Log } from "../log/open.ts";
import { formatCursor, parseCursor } from "../log/cursor.ts";
import { type Call, findSessionOrInstance, type Handler, ok, refuse } from "./call.ts";

type PageArguments = Exclude<Call<"agent.session.log">["args"], { entry: number }>;

export const readLog: Handler<"agent.session.log", "log"> = ({ log }, { args }) => {
  const session = findSessionOrInstance({ log }, args.session);
  if (typeof session !== "string") return session;
  return "entry" in args ? readPiece(log, session, args.entry, args.offset, args.bytes) : readPage(log, session, args);
};

function readPage(log: Log, session: string, args: PageArguments): Answer {
  const after = parseCursorArgument(args.after, log.id, session);
  const before = parseCursorArgument(args.before, log.id, session);
  if (typeof after === "string") return cursorRefusal("after", after);
  if (typeof before === "string") return cursorRefusal("before", before);
  const page = log.entries.page({
    session,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    limit: args.limit,
    ...(args.kinds === undefined ? {} : { kinds: args.kinds }),
    ...(args.turn === undefined ? {} : { turn: args.turn }),
  });
  const members = [
    `"log":"${log.id}","session":"${session}","entries":[${page.entries.join(",")}]`,
    ...(page.next === undefined ? [] : [`"next":"${formatCursor(log.id, session, page.next)}"`]),
    ...(page.previous === undefined ? [] : [`"previous":"${formatCursor(log.id, session, page.previous)}"`]),
    `"last_seq":${page.lastSeq}`,
  ];
  return { rc: 0, body: `{${members.join(",")}}` };
}

function readPiece(log: Log, session: string, entry: number, offset: number, bytes: number): Answer {
  const piece = log.entries.piece(session, entry, offset, bytes);
  if (!piece) return refuse("ARGUMENT", `entry: the session has no entry ${entry}`, { field: "entry" });
  return ok({ session, entry, ...piece });
}

/** Returns the seq of a cursor of this log and session, or a plain seq; a string says what is wrong with the cursor. */
export function parseCursorArgument(
  cursor: string | number | undefined,
  log: string,
  session: string,
): number | undefined | string {
  if (cursor === undefined || typeof cursor === "number") return cursor;
  const parsed = parseCursor(cursor, log, session);
  return "seq" in parsed ? parsed.seq : parsed.refused;
}

export function cursorRefusal(field: string, why: string): Answer {
  const message = {
    malformed: "neither a cursor (<log>/<session>/<seq>) nor a seq",
    other_log: "the cursor belongs to another log; read from the beginning",
    other_session: "the cursor belongs to another session",
  }[why];
  return refuse("CURSOR_UNKNOWN", `${field}: ${message ?? why}`, { field });
}
