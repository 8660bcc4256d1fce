// SPDX-License-Identifier: MIT OR Apache-2.0
// Waits until the log says what became of a prompt that the agent was asked to take into its running turn.
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { Entry, Steering } from "../../agentd/vocabulary/entries.ts";
import type { PromptReply } from "../../agentd/vocabulary/replies.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import type { Invocation } from "../input/verb.ts";
import { watchSession } from "./watch-session.ts";

export type Steered =
  | { readonly kind: "settled"; readonly steering: Exclude<Steering, "asked">; readonly into?: number | undefined }
  /** The prompt has become an ordinary turn, which may have ended. */
  | { readonly kind: "turn" }
  /** The wait ended before. */
  | { readonly kind: "left"; readonly outcome: Outcome };

export async function watchSteering(
  invocation: Invocation,
  bus: AgentBus,
  { session, turn, seq }: PromptReply,
  called?: string,
): Promise<Steered> {
  let found: Steered | undefined;
  const outcome = await watchSession(invocation, bus, {
    session,
    called,
    after: seq - 1,
    showPrompts: false,
    asks: false,
    shows: () => false,
    decide: (entry) => {
      found = steeredIn(entry, turn);
      return found && done;
    },
  });
  return found ?? { kind: "left", outcome };
}

function steeredIn(entry: Entry, turn: number): Steered | undefined {
  if (entry.kind !== "turn" || entry.turn !== turn || entry.steering === "asked") return undefined;
  const { steering, into } = entry;
  return steering === undefined ? { kind: "turn" } : { kind: "settled", steering, into };
}

/** Says what became of the prompt. */
export function describeSteering({ steering, into }: Extract<Steered, { kind: "settled" }>, turn: number): string {
  switch (steering) {
    case "injected":
      return `turn ${into ?? "that ran"} has taken the prompt in`;
    case "startedNewTurn":
      return "the agent has begun a turn of its own with the prompt, whose end it does not report";
    case "promptRequired":
      return `no turn was running any more: the prompt is turn ${turn}`;
    case "failed":
      return `the agent could not take the prompt into its turn: it waits as turn ${turn}`;
  }
}
