// SPDX-License-Identifier: MIT OR Apache-2.0
// What the verbs that keep the log in hand have in common: they may take long, and what removes can be tried before.
import type { Verb, VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { parseJson } from "../../json/raw-json.ts";
import type { AgentReplies } from "../bus/agent-replies.ts";
import type { FlagTable } from "../input/arguments.ts";
import type { AgentBus } from "../bus/ask.ts";
import { commandIdFlag, commandIdMember } from "../input/verb.ts";
import type { Invocation } from "../input/verb.ts";

/** Of a large log every entry is read; the Bus's own limit would be too short. */
const maintenanceTimeoutMs = 60 * 60 * 1000;

export const removalFlags: FlagTable = {
  "dry-run": { kind: "switch", about: "say what would go, and change nothing" },
  ...commandIdFlag,
};

/** The arguments that `removingFlags` make. */
export function toRemovalArgs({ args }: Invocation): { readonly dry_run: boolean; readonly command_id?: string } {
  return { dry_run: args.switch("dry-run"), ...commandIdMember(args) };
}

/** As `ask`, with that time limit. */
export async function askMaintenance<V extends Verb>(
  bus: AgentBus,
  verb: V,
  args: VerbInput<V>,
): Promise<AgentReplies[V]> {
  const reply = await bus.call("agent", verb, args, { timeoutMs: maintenanceTimeoutMs });
  return parseJson(reply.body) as AgentReplies[V];
}

/** `1 entry`, `2 entries`. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
