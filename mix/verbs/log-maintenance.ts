// SPDX-License-Identifier: MIT OR Apache-2.0
// Shared by the verbs that maintain the log: a long time limit, and a dry run for those that remove entries.
import type { Verb, VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { formatCount } from "../../display/units.ts";
import { parseJson } from "../../json/raw-json.ts";
import type { AgentReplies } from "../../agent-client/requests/agent-replies.ts";
import type { FlagTable } from "../input/arguments.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { usageError } from "../process/mix-error.ts";
import { commandIdFlag, type Invocation } from "../input/verb.ts";

/** Maintenance reads every entry of a log, which can take longer than the Bus's default limit of 60 s. */
const maintenanceTimeoutMs = 60 * 60 * 1000;

export const removalFlags: FlagTable = {
  "dry-run": { kind: "switch", about: "report what would be removed, and change nothing", isMain: true },
  ...commandIdFlag,
};

export function toRemovalArgs({ args }: Invocation): {
  readonly dry_run: boolean;
  readonly command_id: string | undefined;
} {
  return { dry_run: args.switch("dry-run"), command_id: args.text("id") };
}

/** What removes entries takes a session only by its id or name: `-` depends on what was done before. */
export function requireNamed<Word extends string | undefined>(session: Word): Word {
  if (session === "-") throw usageError("give the session's id or name: - is not taken where entries are removed");
  return session;
}

/** Does the same as `bus.ask`, with the time limit for maintenance. */
export async function askMaintenance<V extends Verb>(
  bus: AgentBus,
  verb: V,
  args: VerbInput<V>,
): Promise<AgentReplies[V]> {
  const reply = await bus.call("agent", verb, args, { timeoutMs: maintenanceTimeoutMs });
  return parseJson(reply.body) as AgentReplies[V];
}

export function formatLoss(subject: string, entries: number, isDry: boolean): string {
  return `${subject} ${isDry ? "would lose" : "lost"} ${formatCount(entries, "entry", "entries")}`;
}
