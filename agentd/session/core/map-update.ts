// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps the agent's updates to entries. It only renames members: absent stays absent, null stays null.
import type { AgentUpdate, ConfigOption, ToolCallPatch } from "../../../acp-client/model.ts";
import { setSerializedContent } from "../../log/serialized-content.ts";
import type { EntryContent, SessionOption, ToolCallFields } from "../../vocabulary/entries.ts";

export function toToolCallFields(call: ToolCallPatch): ToolCallFields {
  const fields: Record<string, unknown> = { tool_call_id: call.toolCallId };
  if (call.title !== undefined) fields["title"] = call.title;
  if (call.name !== undefined) fields["name"] = call.name;
  if (call.kind !== undefined) fields["tool_kind"] = call.kind;
  if (call.status !== undefined) fields["status"] = call.status;
  if (call.content !== undefined) fields["content"] = call.content;
  if (call.contentText !== undefined) setSerializedContent(fields, call.content, call.contentText);
  if (call.locations !== undefined) fields["locations"] = call.locations;
  if (call.rawInput !== undefined) fields["raw_input"] = call.rawInput;
  if (call.rawOutput !== undefined) fields["raw_output"] = call.rawOutput;
  if (call.meta !== undefined) fields["_meta"] = call.meta;
  return fields as unknown as ToolCallFields;
}

export function toSessionOptions(options: readonly ConfigOption[]): SessionOption[] {
  return options.map((option) => ({ ...option }));
}

type MappedUpdate = Exclude<AgentUpdate, { kind: "message" | "tool_call" }>;

/** Maps all updates but messages and tool calls, whose entries depend on the session's state. */
export function toEntry(update: MappedUpdate): EntryContent {
  switch (update.kind) {
    case "plan":
      return { kind: "plan", plan_id: update.planId, entries: update.entries, ...metaMember(update) };
    case "commands":
      return { kind: "commands", commands: update.commands, ...metaMember(update) };
    case "options":
      return { kind: "options", options: toSessionOptions(update.options), ...metaMember(update) };
    case "info":
      return {
        kind: "info",
        ...(update.title === undefined ? {} : { title: update.title }),
        ...(update.updatedAt === undefined ? {} : { updated_at: update.updatedAt }),
        ...metaMember(update),
      };
    case "usage":
      return {
        kind: "usage",
        used: update.used,
        size: update.size,
        ...(update.cost === undefined ? {} : { cost: update.cost }),
        ...metaMember(update),
      };
    case "notice":
      return {
        kind: "notice",
        severity: update.severity,
        title: update.title,
        ...(update.description === undefined ? {} : { description: update.description }),
        ...metaMember(update),
      };
    case "compaction":
      return {
        kind: "compaction",
        compaction_id: update.compactionId,
        ...(update.status === undefined ? {} : { status: update.status }),
        ...(update.summary === undefined ? {} : { summary: update.summary }),
        ...(update.append === undefined ? {} : { append: update.append }),
        ...(update.error === undefined ? {} : { error: update.error }),
        ...metaMember(update),
      };
    case "extension":
      return { kind: "extension", method: update.method, data: update.data };
  }
}

function metaMember(update: { readonly meta?: unknown }): { readonly _meta?: unknown } {
  return update.meta === undefined ? {} : { _meta: update.meta };
}
