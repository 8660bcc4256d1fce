// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { isRecord } from "../../jsonrpc/message.ts";
import type { ToolCallPatch } from "../../model.ts";
import { clearableText, decode, optionalObject, optionalText, present, unread, validItems } from "../lenient.ts";
import { decodeContentBlock } from "./content.ts";

const members = {
  toolCallId: z.string(),
  name: optionalText,
  // The official lists are closed; a word of a newer agent says more than no word.
  kind: optionalText,
  status: optionalText,
  content: unread,
  locations: unread,
  rawInput: unread,
  rawOutput: unread,
  _meta: optionalObject,
};

export const ToolCall = z.looseObject({ ...members, title: z.string() });
export const ToolCallUpdate = z.looseObject({ ...members, title: optionalText });

export const Content = z.looseObject({ type: z.literal("content"), content: z.unknown(), _meta: optionalObject });
export const Diff = z.looseObject({
  type: z.literal("diff"),
  path: z.string(),
  oldText: clearableText,
  newText: z.string(),
  _meta: optionalObject,
});
export const Terminal = z.looseObject({
  type: z.literal("terminal"),
  terminalId: z.string(),
  _meta: optionalObject,
});
export const ToolCallLocation = z.looseObject({
  path: z.string(),
  line: z.int().nonnegative().optional().catch(undefined),
  _meta: optionalObject,
});

/** The first sight of a tool call, with ACP's defaults: kind "other", status "pending". */
export function decodeToolCall(value: unknown): ToolCallPatch | undefined {
  const call = decode(ToolCall, value);
  return call && patch({ ...call, kind: call.kind ?? "other", status: call.status ?? "pending" });
}

/** A change of one. In v1 null means unchanged, so a null member is absent from the patch. */
export function decodeToolCallUpdate(value: unknown): ToolCallPatch | undefined {
  const update = decode(ToolCallUpdate, value);
  return update && patch(update);
}

function patch(call: z.infer<typeof ToolCallUpdate>): ToolCallPatch {
  return present({
    toolCallId: call.toolCallId,
    title: call.title,
    name: call.name,
    kind: call.kind,
    status: call.status,
    content: validItems(call.content, decodeToolCallContent),
    locations: validItems(call.locations, (item) => decode(ToolCallLocation, item)),
    rawInput: call.rawInput ?? undefined,
    rawOutput: call.rawOutput ?? undefined,
    meta: call._meta,
  });
}

/** An item of a type that is not known here is kept as it came. */
function decodeToolCallContent(item: unknown): object | undefined {
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
