// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a session's earlier prompts from its log, for Up. The log has them already, with redactions: there is no file of
// ours that could keep a secret.
import { isTruncated } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { contentToText } from "../../agent-client/view/content.ts";

/** Yields the prompts of the last turns, the newest one first. Ends where the log cannot be read. */
export async function* earlierPrompts(
  bus: Pick<ReadingBus, "ask">,
  { session, turns }: Pick<SessionSnapshot, "session" | "turns">,
): AsyncGenerator<string, void, undefined> {
  for (let turn = turns; turn > Math.max(0, turns - turnsMax); turn -= 1) {
    try {
      const request = { session, turn, kinds: ["message" as const], limit: blocksMax };
      const { entries } = (await bus.ask("agent.session.log", request)) as LogPage;
      const blocks = entries.flatMap((entry) =>
        !isTruncated(entry) && entry.kind === "message" && entry.role === "user" ? [contentToText(entry.content)] : [],
      );
      if (blocks.length > 0) yield blocks.join("\n");
    } catch (error) {
      if (error instanceof AgentError) return;
      throw error;
    }
  }
}

const turnsMax = 50;
/** Blocks of one prompt that are read; what is typed or pasted here has one. */
const blocksMax = 8;
