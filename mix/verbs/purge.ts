// SPDX-License-Identifier: MIT OR Apache-2.0
import { askMaintenance, formatLoss, requireNamed, toRemovalArgs, removalFlags } from "./log-maintenance.ts";
import { homePath } from "../process/home-path.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent purge <session>",
  about:
    "Permanently removes an ended session's entries from the log. Its commands' receipts stay, so that a retry runs nothing again. Its directory stays too, even if agentd created it.",
  flags: removalFlags,
  examples: ["mix agent purge abc --dry-run"],
  sessions: "ended",
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output } = invocation;
  const named = requireNamed(args.word(0));
  const removalArgs = toRemovalArgs(invocation);
  const bus = await invocation.connect("agentd");
  const reply = await askMaintenance(bus, "agent.session.purge", { session: named, ...removalArgs });
  const { session, entries } = reply;
  if (output.mode === "json") await output.document("mix.purged.v1", { ...reply, dry_run: removalArgs.dry_run });
  else if (output.mode === "ids") await output.line(session);
  else {
    await output.line(formatLoss(session, entries, removalArgs.dry_run));
    // The purge has succeeded, so a failure here is ignored.
    const left = await bus.ask("agent.session.get", { session }).catch(() => undefined);
    if (left !== undefined) output.word(`its directory stays: ${homePath(left.cwd, context)}`);
  }
}
