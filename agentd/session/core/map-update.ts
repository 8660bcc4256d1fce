// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent says, as an entry. Pure renaming: an absent member stays absent, null stays null.
import type { AgentUpdate, ConfigOption, ToolCallPatch } from "../../../acp-client/model.ts";
import { setSerializedContent } from "../../log/serialized-content.ts";
import type { EntryContent, SessionOption, ToolCallFields } from "../../vocabulary/entries.ts";

export function toolCallFields(call: ToolCallPatch): ToolCallFields {
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

export function sessionOptions(options: readonly ConfigOption[]): SessionOption[] {
  return options.map((option) => ({ ...option }));
}

type Mapped = Exclude<AgentUpdate, { kind: "message" | "tool_call" }>;

/** All updates but messages and tool calls, which depend on the session's state. */
export function mapUpdate(update: Mapped): EntryContent {
  switch (update.kind) {
    case "plan":
      return { kind: "plan", plan_id: update.planId, entries: update.entries, ...meta(update) };
    case "commands":
      return { kind: "commands", commands: update.commands, ...meta(update) };
    case "options":
      return { kind: "options", options: sessionOptions(update.options), ...meta(update) };
    case "info":
      return {
        kind: "info",
        ...(update.title === undefined ? {} : { title: update.title }),
        ...(update.updatedAt === undefined ? {} : { updated_at: update.updatedAt }),
        ...meta(update),
      };
    case "usage":
      return {
        kind: "usage",
        used: update.used,
        size: update.size,
        ...(update.cost === undefined ? {} : { cost: update.cost }),
        ...meta(update),
      };
    case "notice":
      return {
        kind: "notice",
        severity: update.severity,
        title: update.title,
        ...(update.description === undefined ? {} : { description: update.description }),
        ...meta(update),
      };
    case "compaction":
      return {
        kind: "compaction",
        compaction_id: update.compactionId,
        ...(update.status === undefined ? {} : { status: update.status }),
        ...(update.summary === undefined ? {} : { summary: update.summary }),
        ...(update.append === undefined ? {} : { append: update.append }),
        ...(update.error === undefined ? {} : { error: update.error }),
        ...meta(update),
      };
    case "extension":
      return { kind: "extension", method: update.method, data: update.data };
  }
}

function meta(update: { readonly meta?: unknown }): { readonly _meta?: unknown } {
  return update.meta === undefined ? {} : { _meta: update.meta };
}
