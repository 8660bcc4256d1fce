// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { askMaintenance, formatCount, toRemovalArgs, removalFlags } from "./log-maintenance.ts";
import { usageError } from "../process/mix-error.ts";
import { parsePointInTime } from "../input/times.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent prune --before TIME",
  about: "Purges every ended session last updated before a time: an age, a day (UTC) or a time with its zone.",
  flags: {
    before: { kind: "text", value: "TIME", about: "12h, 30d, 8w, 2026-01-31, 2026-01-31T12:00:00Z" },
    ...removalFlags,
  },
  positionals: { min: 0, max: 0 },
  examples: ["mix agent prune --before 30d --dry-run"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const text = args.text("before");
  if (text === undefined) throw usageError("--before is missing: it selects the sessions to purge");
  const before = parsePointInTime(text, context.now());
  if (before === undefined) throw usageError(`--before takes an age such as 30d, a day or a time, not ${text}`);
  const removalArgs = toRemovalArgs(invocation);
  const bus = await invocation.connect("agentd");
  const reply = await askMaintenance(bus, "agent.log.prune", { before, ...removalArgs });
  const { sessions, entries } = reply;
  if (output.mode === "json") {
    await output.document("mix.pruned.v1", { ...reply, before, dry_run: removalArgs.dry_run });
    return done;
  }
  for (const session of sessions) await output.line(session);
  const sessionCount = formatCount(sessions.length, "session");
  output.word(
    `${sessionCount} ${removalArgs.dry_run ? "would lose" : "lost"} ${formatCount(entries, "entry", "entries")}`,
  );
  return done;
}
