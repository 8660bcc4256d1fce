// SPDX-License-Identifier: MIT OR Apache-2.0
import { askMaintenance, formatLoss, toRemovalArgs, removalFlags } from "./log-maintenance.ts";
import { formatCount } from "../../display/units.ts";
import { usageError } from "../process/mix-error.ts";
import { parsePointInTime, pointInTimeForms } from "../input/times.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent prune --before TIME",
  about:
    "Purges every ended session last updated before a time: an age, a day or a time, local unless it names its zone.",
  flags: {
    before: { kind: "text", value: "TIME", about: "12h, 30d, 8w, 2026-01-31, 2026-01-31T12:00:00Z" },
    ...removalFlags,
  },
  examples: ["mix agent prune --before 30d --dry-run"],
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output } = invocation;
  const text = args.text("before");
  if (text === undefined) throw usageError("--before is missing: it selects the sessions to purge");
  const before = parsePointInTime(text, context.now());
  if (before === undefined) throw usageError(`--before takes ${pointInTimeForms}, not ${text}`);
  const removalArgs = toRemovalArgs(invocation);
  const bus = await invocation.connect("agentd");
  const reply = await askMaintenance(bus, "agent.log.prune", { before, ...removalArgs });
  const { dry_run } = removalArgs;
  if (output.mode === "json") await output.document("mix.pruned.v1", { ...reply, before, dry_run });
  else for (const session of reply.sessions) await output.line(session);
  output.word(formatLoss(formatCount(reply.sessions.length, "session"), reply.entries, dry_run));
}
