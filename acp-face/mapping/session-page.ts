// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionListReply } from "../../agentd/vocabulary/replies.ts";
import type { SessionPage } from "../agent-side/agent.ts";

/** Leaves out sessions that were never prompted: editors open such sessions to see what an agent offers. */
export function sessionPage({ sessions, next }: SessionListReply): SessionPage {
  return {
    sessions: sessions
      .filter(({ turns }) => turns > 0)
      .map(({ session, cwd, name, title, updated_at }) => {
        const shown = name ?? title;
        return { sessionId: session, cwd, ...(shown === undefined ? {} : { title: shown }), updatedAt: updated_at };
      }),
    ...(next === undefined ? {} : { nextCursor: next }),
  };
}
