// SPDX-License-Identifier: MIT OR Apache-2.0
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { rawMembers } from "../../jsonrpc/raw-member.ts";
import { isRecord } from "../../../json/record.ts";
import type { ToolCallPatch } from "../../model.ts";
import {
  acpObject,
  clearableText,
  decode,
  identifier,
  isIdentifier,
  optionalText,
  undecoded,
  decodeItems,
  wholeNumber,
} from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";
import { decodeContentBlock, asPlainText } from "./content.ts";

const members = {
  toolCallId: identifier,
  name: optionalText,
  // Unknown kinds and statuses are kept, though the schema's lists are closed: they may be a newer agent's.
  kind: optionalText,
  status: optionalText,
  content: undecoded,
  locations: undecoded,
  rawInput: undecoded,
  rawOutput: undecoded,
};

export const ToolCall = acpObject({ ...members, title: z.string() });
export const ToolCallUpdate = acpObject({ ...members, title: optionalText });

export const Content = acpObject({ type: z.literal("content"), content: z.unknown() });
export const Diff = acpObject({
  type: z.literal("diff"),
  path: z.string(),
  oldText: clearableText,
  newText: z.string(),
});
export const Terminal = acpObject({ type: z.literal("terminal"), terminalId: z.string() });
export const ToolCallLocation = acpObject({
  path: z.string(),
  line: wholeNumber
    .refine((line) => line >= 0)
    .optional()
    .catch(undefined),
});

/** Decodes a new tool call, with ACP's defaults: kind "other", status "pending". */
export function decodeToolCall(value: unknown): ToolCallPatch | undefined {
  const call = decode(ToolCall, value);
  return call && patch({ ...call, kind: call.kind ?? "other", status: call.status ?? "pending" });
}

/**
 * Decodes a change of a tool call. In v1 null means unchanged, so null members are omitted. Returns the same as
 * decodeToolCallUpdateBySchema, but faster: most of an agent's bytes come in these updates.
 */
export function decodeToolCallUpdate(value: unknown): ToolCallPatch | undefined {
  if (!isRecord(value)) return undefined;
  const { toolCallId, title, name, kind, status, content, locations, rawInput, rawOutput, _meta } = value;
  if (!isIdentifier(toolCallId)) return undefined;
  return patch({
    toolCallId,
    title: stringOrUndefined(title),
    name: stringOrUndefined(name),
    kind: stringOrUndefined(kind),
    status: stringOrUndefined(status),
    content,
    locations,
    rawInput,
    rawOutput,
    _meta: isRecord(_meta) ? _meta : undefined,
  });
}

export function decodeToolCallUpdateBySchema(value: unknown): ToolCallPatch | undefined {
  const update = decode(ToolCallUpdate, value);
  return update && patch(update, decodeToolCallContentBySchema);
}

/** Adds the source text of the call's values from `line`, the session/update that `update` came in. */
export function withSource(
  call: ToolCallPatch | undefined,
  update: Readonly<Record<string, unknown>>,
  line: string,
): ToolCallPatch | undefined {
  if (call === undefined) return call;
  const source = rawMembers(line, ["content", "rawInput", "rawOutput"], ["params", "update"]);
  // Compares values, as decoding by the schema makes new objects of items that it does not change.
  if (!isDeepStrictEqual(call.content, update["content"])) source.delete("content");
  return source.size === 0 ? call : { ...call, source };
}

function patch(
  call: z.infer<typeof ToolCallUpdate>,
  decodeItem: (item: unknown) => object | undefined = decodeToolCallContent,
): ToolCallPatch {
  const content = decodeItems(call.content, decodeItem);
  const locations = decodeItems(call.locations, (item) => decode(ToolCallLocation, item));
  const incomplete = hasLostItems(call.content, content) || hasLostItems(call.locations, locations) ? true : undefined;
  return omitUndefined({
    toolCallId: call.toolCallId,
    title: call.title,
    name: call.name,
    kind: call.kind,
    status: call.status,
    content,
    locations,
    incomplete,
    rawInput: call.rawInput ?? undefined,
    rawOutput: call.rawOutput ?? undefined,
    meta: call._meta,
  });
}

function hasLostItems(said: unknown, kept: readonly unknown[] | undefined): boolean {
  if (said === undefined || said === null) return false;
  return !Array.isArray(said) || said.length !== kept?.length;
}

/** Keeps items of an unknown type as received. */
function decodeToolCallContent(item: unknown): object | undefined {
  return isRecord(item) && isPlain(item) ? item : decodeToolCallContentBySchema(item);
}

function decodeToolCallContentBySchema(item: unknown): object | undefined {
  if (!isRecord(item)) return undefined;
  switch (item["type"]) {
    case "content":
      return decodeNestedBlock(item);
    case "diff":
      return decode(Diff, item);
    case "terminal":
      return decode(Terminal, item);
    default:
      return typeof item["type"] === "string" ? item : undefined;
  }
}

function decodeNestedBlock(item: unknown): object | undefined {
  const outer = decode(Content, item);
  const content = outer && decodeContentBlock(outer.content);
  return content && { ...outer, content };
}

/** Whether an item is a diff, terminal or text that the schema would return unchanged. */
function isPlain(item: Readonly<Record<string, unknown>>): boolean {
  if (Object.hasOwn(item, "__proto__") || (Object.hasOwn(item, "_meta") && !isRecord(item["_meta"]))) return false;
  switch (item["type"]) {
    case "diff":
      return typeof item["path"] === "string" && typeof item["newText"] === "string" && isClearableText(item);
    case "terminal":
      return typeof item["terminalId"] === "string";
    case "content":
      return asPlainText(item["content"]) !== undefined;
    default:
      return false;
  }
}

function isClearableText(diff: Readonly<Record<string, unknown>>): boolean {
  const { oldText } = diff;
  return oldText === null || typeof oldText === "string" || !Object.hasOwn(diff, "oldText");
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
