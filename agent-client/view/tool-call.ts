// SPDX-License-Identifier: MIT OR Apache-2.0
// Rebuilds a tool call from its entries, each of which carries what changed.
import { finalToolStatuses, isAnnouncement, requestMembers } from "../../agentd/vocabulary/entries.ts";
import type { PermissionEntry, TextGrowth, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";

/**
 * Returns the call after a later entry of it, or a permission request about it: the fields that the request itself
 * carries count for the call, except those in `said_before`.
 */
export function foldToolCall(fields: ToolCallFields, entry: ToolCallEntry | PermissionEntry): ToolCallFields {
  if (entry.kind === "permission") {
    const before = new Set(entry.said_before);
    const said = definedFields(entry.tool_call ?? {}).filter(([name]) => !before.has(name));
    return { ...fields, ...Object.fromEntries(said) };
  }
  const { tool_call_id } = entry;
  const known = startsNewCall(fields, entry) ? { tool_call_id } : fields;
  let call: ToolCallFields = { ...known, ...Object.fromEntries(definedFields(entry)) };
  for (const { path, text } of entry.grow ?? []) call = applyGrowth(call, path, text) as ToolCallFields;
  return call;
}

/** Like `foldToolCall`, for a reader who may have missed the beginning: an output of which only the growth is known begins with a note. */
export function foldPartialToolCall(fields: ToolCallFields, entry: ToolCallEntry): ToolCallFields {
  const grown = (entry.grow ?? []).find(({ path }) => isFirstOutput(path));
  const isUnseen = grown !== undefined && !fields.content && !entry.content;
  if (!isUnseen) return foldToolCall(fields, entry);
  const text = `… ${grown.at} characters before …\n`;
  return foldToolCall({ ...fields, content: [{ type: "content", content: { type: "text", text } }] }, entry);
}

/** Returns a copy of the value with `text` appended to the string at `path`; the value itself if there is none. */
export function applyGrowth(value: unknown, path: TextGrowth["path"], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === "string" ? value + text : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = applyGrowth(copy[key], rest, text);
  return copy;
}

function isFirstOutput(path: TextGrowth["path"]): boolean {
  return path.length === 4 && path[0] === "content" && path[1] === 0 && path[2] === "content" && path[3] === "text";
}

function definedFields(fields: Partial<ToolCallFields>): (readonly [string, unknown])[] {
  return foldedFields.flatMap((name) =>
    fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]],
  );
}

const foldedFields = [...requestMembers, "raw_output"] as const;

/** An announcement after the end of the call begins another call with the same id. */
export function startsNewCall(before: ToolCallFields, { title, tool_kind, status }: ToolCallFields): boolean {
  return finalToolStatuses.has(before.status) && isAnnouncement(title, tool_kind, status);
}
