// SPDX-License-Identifier: MIT OR Apache-2.0
import type { StatsReply } from "../../agentd/vocabulary/replies.ts";
import { askMaintenance } from "./log-maintenance.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { formatAge, formatBytes } from "../../display/units.ts";
import { formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent stats",
  about: "Shows the log's size and its largest sessions.",
  flags: { top: { kind: "text", value: "N", about: "list N sessions, most entries first (default 20)", isMain: true } },
  examples: ["mix agent stats --top 5"],
};

export async function run({ args, context, output, connect }: Invocation): Promise<void> {
  const top = args.count("top", 1);
  const bus = await connect("agentd");
  const stats = await askMaintenance(bus, "agent.log.stats", { top });
  if (output.mode === "json") await output.document("mix.stats.v1", stats);
  else if (output.mode === "ids") for (const { session } of stats.fullest) await output.line(session);
  else for (const line of formatStats(stats, context.now())) await output.line(line);
}

function formatStats(stats: StatsReply, now: number): string[] {
  const { file_bytes: file, write_ahead_bytes: ahead } = stats;
  const facts = [
    ["on disk", `${formatBytes(file + ahead)}: file ${formatBytes(file)}, write-ahead log ${formatBytes(ahead)}`],
    ["in use", `${formatBytes(stats.used_bytes)}, free within the file ${formatBytes(stats.free_bytes)}`],
    ["quota", formatBytes(stats.quota_bytes)],
    ["sessions", `${stats.sessions} (${stats.ended} ended, ${stats.purged} purged)`],
    ["entries", `${stats.entries}`],
  ];
  const fullest = stats.fullest.map(({ session, entries, updated_at: updated }) => [
    session,
    `${entries}`,
    `${formatAge(now - Date.parse(updated))} ago`,
  ]);
  if (fullest.length === 0) return formatTable(facts);
  return [...formatTable(facts), "", ...formatTable([["SESSION", "ENTRIES", "UPDATED"], ...fullest])];
}
