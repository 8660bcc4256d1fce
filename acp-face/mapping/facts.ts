// SPDX-License-Identifier: MIT OR Apache-2.0
// Updates about the session as a whole, each of which replaces what was said before.
import { AvailableCommand, Cost } from "../../acp-client/schema/v1/update.ts";
import { decode, decodeItems } from "../../acp-client/schema/lenient.ts";
import { omitUndefined } from "../../json/omit-undefined.ts";
import type {
  CommandsEntry,
  CompactionEntry,
  NoticeEntry,
  PlanEntry,
  UsageEntry,
} from "../../agentd/vocabulary/entries.ts";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import { blockPieces, metaMember, validBlock } from "./blocks.ts";
import { type SessionUpdate, isOneOf, planPriorities, planStatuses } from "./update.ts";

export function planUpdate(entry: Pick<PlanEntry, "entries">): SessionUpdate {
  const steps: readonly unknown[] = entry.entries;
  const entries = steps.filter(isRecord).map(({ content, priority, status, _meta, ...others }) => ({
    ...others,
    ...metaMember({ _meta }),
    content: (typeof content === "string" && content.trim()) || "(untitled step)",
    priority: isOneOf(planPriorities, priority) ? priority : "medium",
    status: isOneOf(planStatuses, status) ? status : "pending",
  }));
  return { sessionUpdate: "plan", entries, ...metaMember(entry) };
}

export function commandsUpdate(entry: Pick<CommandsEntry, "commands">): SessionUpdate {
  const commands = decodeItems(entry.commands, (command) => decode(AvailableCommand, command)) ?? [];
  return {
    sessionUpdate: "available_commands_update",
    availableCommands: commands.map(omitUndefined),
    ...metaMember(entry),
  };
}

/** Empty unless both counts are there. */
export function usageUpdates(entry: Pick<UsageEntry, "used" | "size" | "cost">): readonly SessionUpdate[] {
  const { used, size } = entry;
  if (!isCount(used) || !isCount(size)) return [];
  const cost = decode(Cost, entry.cost);
  return [
    {
      sessionUpdate: "usage_update",
      used,
      size,
      ...(cost === undefined ? {} : { cost: omitUndefined(cost) }),
      ...metaMember(entry),
    },
  ];
}

/** Also a number that is kept as source text. */
function isCount(value: unknown): value is number {
  const number = numberOf(value);
  return typeof number === "number" && Number.isInteger(number) && number >= 0;
}

export function noticeUpdates(entry: NoticeEntry): readonly SessionUpdate[] {
  const { severity, title, description } = entry;
  if (title === "") return [];
  return [{ sessionUpdate: "notice", severity, title, ...(description ? { description } : {}), ...metaMember(entry) }];
}

export function compactionUpdates(entry: CompactionEntry): readonly SessionUpdate[] {
  const { compaction_id: compactionId, status, summary, append, error } = entry;
  const appended = append === undefined ? undefined : validBlock(append);
  const chunks = (appended === undefined ? [] : blockPieces(appended)).map((content): SessionUpdate => ({
    sessionUpdate: "compaction_summary_chunk",
    compactionId,
    content,
    ...metaMember(entry),
  }));
  if (status === undefined) return chunks;
  const update: SessionUpdate = {
    sessionUpdate: "compaction_update",
    compactionId,
    status,
    ...(summary ? { summary: decodeItems(summary, validBlock) ?? [] } : {}),
    ...(error ? { error } : {}),
    ...metaMember(entry),
  };
  return [update, ...chunks];
}
