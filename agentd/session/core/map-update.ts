// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps the agent's updates to entries. It only renames members: absent stays absent, null stays null.
import type { AgentUpdate, ConfigOption, TokenUsage, ToolCallPatch } from "../../../acp-client/model.ts";
import { numberOf, RawJson } from "../../../json/raw-json.ts";
import type { EntryContent, SessionOption, ToolCallFields } from "../../vocabulary/entries.ts";
import type { Cost, TokenCounts } from "../../vocabulary/usage.ts";

export function toToolCallFields(call: ToolCallPatch): ToolCallFields {
  const fields: Record<string, unknown> = { tool_call_id: call.toolCallId };
  if (call.title !== undefined) fields["title"] = call.title;
  if (call.name !== undefined) fields["name"] = call.name;
  if (call.kind !== undefined) fields["tool_kind"] = call.kind;
  if (call.status !== undefined) fields["status"] = call.status;
  if (call.content !== undefined) fields["content"] = call.content;
  if (call.locations !== undefined) fields["locations"] = call.locations;
  if (call.rawInput !== undefined) fields["raw_input"] = call.rawInput;
  if (call.rawOutput !== undefined) fields["raw_output"] = call.rawOutput;
  if (call.meta !== undefined) fields["_meta"] = call.meta;
  return fields as unknown as ToolCallFields;
}

/** Replaces values by their source text, so that the log has them as the agent wrote them. */
export function asWritten<Fields extends ToolCallFields>(fields: Fields, source: ToolCallPatch["source"]): Fields {
  if (source === undefined) return fields;
  const written: Record<string, unknown> = { ...(fields as object) };
  for (const [name, text] of source) {
    const member = memberNames[name];
    if (fields[member] !== undefined) written[member] = new RawJson(text);
  }
  return written as unknown as Fields;
}

const memberNames = { content: "content", rawInput: "raw_input", rawOutput: "raw_output" } as const;

export function toSessionOptions(options: readonly ConfigOption[]): SessionOption[] {
  return options.map((option) => ({ ...option }));
}

type MappedUpdate = Exclude<AgentUpdate, { kind: "message" | "tool_call" }>;

/** Maps all updates but messages and tool calls, whose entries depend on the session's state. */
export function toEntry(update: MappedUpdate): EntryContent {
  switch (update.kind) {
    case "plan":
      return { kind: "plan", plan_id: update.planId, entries: update.entries, ...metaMember(update) };
    case "options":
      return { kind: "options", options: toSessionOptions(update.options), ...metaMember(update) };
    case "info":
      return {
        kind: "info",
        ...(update.title === undefined ? {} : { title: update.title }),
        ...(update.updatedAt === undefined ? {} : { updated_at: update.updatedAt }),
        ...metaMember(update),
      };
    case "commands":
    case "usage":
    case "notice": {
      const { meta: _, ...members } = update;
      return { ...members, ...metaMember(update) };
    }
    case "compaction": {
      const { kind, compactionId, meta: _, ...members } = update;
      return { kind, compaction_id: compactionId, ...members, ...metaMember(update) };
    }
    case "extension":
      return { kind: "extension", method: update.method, data: update.data };
  }
}

const countNames = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  thoughtTokens: "thought_tokens",
  cachedReadTokens: "cached_read_tokens",
  cachedWriteTokens: "cached_write_tokens",
  totalTokens: "total_tokens",
} as const satisfies Record<keyof TokenUsage, keyof TokenCounts>;

export function toTokenCounts(usage: TokenUsage): TokenCounts {
  const counts = Object.entries(usage) as [keyof TokenUsage, number][];
  return Object.fromEntries(counts.map(([name, count]) => [countNames[name], count]));
}

/**
 * Returns the cost as it is added up; undefined if its amount cannot be, as it is negative or so large that sums would
 * overflow, or if its currency is not an ISO 4217 code.
 */
export function toCountedCost(cost: Cost | null | undefined): Cost | undefined {
  if (!cost || !/^[A-Z]{3}$/.test(cost.currency)) return undefined;
  const amount = numberOf(cost.amount) as number;
  return amount >= 0 && amount <= Number.MAX_SAFE_INTEGER ? { amount, currency: cost.currency } : undefined;
}

function metaMember(update: { readonly meta?: unknown }): { readonly _meta?: unknown } {
  return update.meta === undefined ? {} : { _meta: update.meta };
}
