// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.list: sessions, newest first, in pages.
import { resolve } from "node:path";
import type { SessionRow } from "../log/project.ts";
import type { SessionSummary } from "../vocabulary/index.ts";
import { type Handler, ok, refuse } from "./call.ts";

export const listSessions: Handler<"agent.session.list"> = (instance, { args }) => {
  const { state, agent, cwd, after, limit } = args;
  const page = instance.log.sessions.list({
    ...(state === undefined ? {} : { state: typeof state === "string" ? [state] : state }),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
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
    ...(typeof title === "string" ? { title } : {}),
    ...(row.parent === null ? {} : { parent: row.parent }),
    turns: row.turns,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_seq: row.last_seq,
  };
}
