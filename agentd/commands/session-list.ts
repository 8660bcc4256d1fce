// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.list: sessions, newest first, in pages.
import { isAbsolute, resolve } from "node:path";
import { realPathOf } from "../instance/directories.ts";
import type { SessionRow } from "../log/project.ts";
import { truncateText } from "../session/core/bounded-fields.ts";
import { callLimits, type SessionSummary } from "../vocabulary/index.ts";
import { type Handler, ok, refuse } from "./call.ts";

export const listSessions: Handler<"agent.session.list", "log"> = ({ log }, { args }) => {
  const { state, agent, cwd, forgotten, after, limit } = args;
  if (cwd !== undefined && !isAbsolute(cwd)) return refuse("ARGUMENT", "cwd: must be absolute", { field: "cwd" });
  const page = log.sessions.list({
    ...(state === undefined ? {} : { state: typeof state === "string" ? [state] : state }),
    ...(agent === undefined ? {} : { agent }),
    // The log has real paths. A directory that no longer exists is compared as it is written.
    ...(cwd === undefined ? {} : { cwd: realPathOf(cwd) ?? resolve(cwd) }),
    withoutForgotten: !forgotten,
    ...(after === undefined ? {} : { after }),
    limit,
  });
  if (page.refused) return refuse("ARGUMENT", "after: not a cursor of this list", { field: "after" });
  const next = page.next === undefined ? {} : { next: page.next };
  return ok({ sessions: page.sessions.map(summaryOf), ...next });
};

export function summaryOf(row: SessionRow): SessionSummary {
  const title = row.latest.info?.title;
  return {
    session: row.session,
    ...(row.name === null ? {} : { name: row.name }),
    agent: row.agent ?? "",
    cwd: row.cwd ?? "",
    state: row.state ?? "closed",
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(typeof title === "string" ? { title: truncateText(title, callLimits.titleCharactersMax) } : {}),
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.forgotten ? { forgotten: true } : {}),
    turns: row.turns,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_seq: row.last_seq,
  };
}
