// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { objections } from "../../acp-client/testing/official-schema.ts";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { sessionPageResult } from "../agent-side/replies.ts";
import { sessionPage } from "./session-page.ts";

const session = (id: string, other: Partial<SessionSummary> = {}): SessionSummary => ({
  session: id,
  agent: "demo",
  cwd: "/work",
  state: "closed",
  turns: 1,
  created_at: "2026-12-01T09:00:00.000Z",
  updated_at: "2026-12-01T10:00:00.000Z",
  last_seq: 9,
  ...other,
});

test("a page has the sessions that were prompted, with their name or title", () => {
  const sessions = [
    session("c", { title: "by the agent", name: "by people" }),
    session("b", { title: "by the agent" }),
    session("never", { turns: 0 }),
    session("a"),
  ];
  const info = { cwd: "/work", updatedAt: "2026-12-01T10:00:00.000Z" };
  const result = sessionPageResult(sessionPage({ sessions, next: "cursor" }));
  expect(objections("ListSessionsResponse", result)).toEqual([]);
  expect(result).toEqual({
    sessions: [
      { sessionId: "c", title: "by people", ...info },
      { sessionId: "b", title: "by the agent", ...info },
      { sessionId: "a", ...info },
    ],
    nextCursor: "cursor",
  });
});

test("the last page has no cursor", () => {
  expect(sessionPageResult(sessionPage({ sessions: [] }))).toEqual({ sessions: [] });
});
