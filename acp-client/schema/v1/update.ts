// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes session/update of ACP v1. The schema's union is closed, but agents add variants. Unknown ones are kept as
// received.
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import { truncateText } from "../../jsonrpc/sample.ts";
import type { AgentUpdate, ConfigOption, MessageRole } from "../../model.ts";
import {
  clearableText,
  decode,
  identifier,
  isIdentifier,
  number,
  optionalIdentifier,
  optionalObject,
  omitUndefined,
  undecoded,
  decodeItems,
} from "../lenient.ts";
import { decodeConfigOptions } from "./config.ts";
import { decodeContentBlock, decodeContentBlockBySchema, asPlainText } from "./content.ts";
import { decodeToolCall, decodeToolCallUpdate, withSource } from "./tool-call.ts";

export const ContentChunk = z.looseObject({
  content: z.unknown(),
  messageId: optionalIdentifier,
  _meta: optionalObject,
});
export const Plan = z.looseObject({ entries: undecoded, _meta: optionalObject });
export const PlanEntry = z.looseObject({
  content: z.string(),
  priority: z.string(),
  status: z.string(),
  _meta: optionalObject,
});
export const AvailableCommandsUpdate = z.looseObject({ availableCommands: undecoded, _meta: optionalObject });
export const UnstructuredCommandInput = z.looseObject({ hint: z.string(), _meta: optionalObject });
export const AvailableCommand = z.looseObject({
  name: z.string(),
  description: z.string(),
  input: UnstructuredCommandInput.optional().catch(undefined),
  _meta: optionalObject,
});
/** Also reads `modeId`, which the official documentation once showed and some agents send. */
export const CurrentModeUpdate = z.looseObject({
  currentModeId: optionalIdentifier,
  modeId: optionalIdentifier,
  _meta: optionalObject,
});
export const ConfigOptionUpdate = z.looseObject({ configOptions: undecoded, _meta: optionalObject });
export const SessionInfoUpdate = z.looseObject({
  title: clearableText,
  updatedAt: identifier.nullable().optional().catch(undefined),
  _meta: optionalObject,
});
export const Cost = z.looseObject({ amount: number, currency: z.string(), _meta: optionalObject });
/** Agents send null until they know the numbers. */
export const UsageUpdate = z.looseObject({
  used: number.nullable().catch(null),
  size: number.nullable().catch(null),
  cost: Cost.nullable().optional().catch(undefined),
  _meta: optionalObject,
});
export const Notice = z.looseObject({
  severity: z.string(),
  title: z.string(),
  description: clearableText,
  _meta: optionalObject,
});
export const CompactionUpdate = z.looseObject({
  compactionId: identifier,
  status: z.string(),
  summary: undecoded,
  error: clearableText,
  _meta: optionalObject,
});
export const CompactionSummaryChunk = z.looseObject({
  compactionId: identifier,
  content: z.unknown(),
  _meta: optionalObject,
});

export type DecodedUpdate =
  | AgentUpdate
  /** These depend on the session's earlier options, so SessionOptions applies them. */
  | { readonly kind: "current_mode"; readonly modeId: string; readonly meta?: unknown }
  | { readonly kind: "config_options"; readonly options: readonly ConfigOption[]; readonly meta?: unknown };

type Decoder = (update: Readonly<Record<string, unknown>>, line: string) => DecodedUpdate | undefined;

const decoders: Readonly<Record<string, Decoder>> = {
  user_message_chunk: (update) => decodeMessageChunk("user", update),
  agent_message_chunk: (update) => decodeMessageChunk("agent", update),
  agent_thought_chunk: (update) => decodeMessageChunk("thought", update),
  tool_call: (update, line) => toolCallUpdate(withSource(decodeToolCall(update), update, line)),
  tool_call_update: (update, line) => toolCallUpdate(withSource(decodeToolCallUpdate(update), update, line)),
  plan: decodePlan,
  available_commands_update: decodeCommands,
  current_mode_update: decodeCurrentMode,
  config_option_update: decodeConfigOptionUpdate,
  session_info_update: decodeInfo,
  usage_update: decodeUsage,
  notice: decodeNotice,
  compaction_update: decodeCompaction,
  compaction_summary_chunk: decodeCompactionChunk,
};

/** The decoded variants; any other becomes an extension. */
export const knownVariants: readonly string[] = Object.keys(decoders);

/**
 * Returns undefined for an invalid update. `line` is the session/update message; without it a tool call has no `source`.
 */
export function decodeUpdate(update: unknown, line = ""): DecodedUpdate | undefined {
  if (!isRecord(update) || typeof update["sessionUpdate"] !== "string") return undefined;
  const variant = update["sessionUpdate"];
  const decoder = Object.hasOwn(decoders, variant) ? decoders[variant] : undefined;
  return decoder === undefined ? extensionUpdate(update) : decoder(update, line);
}

/** Wraps the update as received, under the name "session/update:<variant>". */
export function extensionUpdate(update: unknown): AgentUpdate {
  const variant = isRecord(update) && typeof update["sessionUpdate"] === "string" ? update["sessionUpdate"] : "";
  return { kind: "extension", method: `session/update:${truncateText(variant, 100)}`, data: update };
}

function decodeMessageChunk(role: MessageRole, update: unknown): AgentUpdate | undefined {
  return decodePlainMessage(role, update) ?? decodeMessageBySchema(role, update);
}

/** Decodes plain text without the schema, since most updates are plain text. Equals decodeMessageBySchema. */
function decodePlainMessage(role: MessageRole, update: unknown): AgentUpdate | undefined {
  const { content: block, messageId, _meta: meta } = update as Readonly<Record<string, unknown>>;
  const content = asPlainText(block);
  if (content === undefined) return undefined;
  return toMessage(role, content, isIdentifier(messageId) ? messageId : undefined, isRecord(meta) ? meta : undefined);
}

export function decodeMessageBySchema(role: MessageRole, update: unknown): AgentUpdate | undefined {
  const chunk = decode(ContentChunk, update);
  const content = chunk && decodeContentBlockBySchema(chunk.content);
  return content && toMessage(role, content, chunk.messageId, chunk._meta);
}

function toMessage(
  role: MessageRole,
  content: NonNullable<ReturnType<typeof decodeContentBlock>>,
  messageId: string | undefined,
  meta: unknown,
): AgentUpdate {
  if (messageId === undefined && meta === undefined) return { kind: "message", role, content, append: true };
  if (meta === undefined) return { kind: "message", role, messageId, content, append: true };
  return omitUndefined({ kind: "message", role, messageId, content, append: true, meta });
}

function toolCallUpdate(call: ReturnType<typeof decodeToolCall>): AgentUpdate | undefined {
  return call && { kind: "tool_call", call };
}

function decodePlan(update: unknown): AgentUpdate | undefined {
  const plan = decode(Plan, update);
  if (plan === undefined) return undefined;
  const entries = decodeItems(plan.entries, (entry) => decode(PlanEntry, entry)) ?? [];
  return omitUndefined({ kind: "plan", planId: "default", entries, meta: plan._meta });
}

function decodeCommands(update: unknown): AgentUpdate | undefined {
  const decoded = decode(AvailableCommandsUpdate, update);
  if (decoded === undefined) return undefined;
  const commands = decodeItems(decoded.availableCommands, (command) => decode(AvailableCommand, command)) ?? [];
  return omitUndefined({ kind: "commands", commands, meta: decoded._meta });
}

function decodeCurrentMode(update: unknown): DecodedUpdate | undefined {
  const decoded = decode(CurrentModeUpdate, update);
  const modeId = decoded?.currentModeId ?? decoded?.modeId;
  return modeId === undefined ? undefined : omitUndefined({ kind: "current_mode", modeId, meta: decoded?._meta });
}

function decodeConfigOptionUpdate(update: unknown): DecodedUpdate | undefined {
  const decoded = decode(ConfigOptionUpdate, update);
  if (decoded === undefined) return undefined;
  return omitUndefined({
    kind: "config_options",
    options: decodeConfigOptions(decoded.configOptions) ?? [],
    meta: decoded._meta,
  });
}

/** Length in UTF-16 units. Longer titles are truncated, since a title is shown wherever the session is listed. */
const titleCharactersMax = 4_096;

function decodeInfo(update: unknown): AgentUpdate | undefined {
  const info = decode(SessionInfoUpdate, update);
  if (info === undefined) return undefined;
  const title = typeof info.title === "string" ? truncateText(info.title, titleCharactersMax) : info.title;
  return omitUndefined({ kind: "info", title, updatedAt: info.updatedAt, meta: info._meta });
}

function decodeUsage(update: unknown): AgentUpdate | undefined {
  const usage = decode(UsageUpdate, update);
  return (
    usage && omitUndefined({ kind: "usage", used: usage.used, size: usage.size, cost: usage.cost, meta: usage._meta })
  );
}

function decodeNotice(update: unknown): AgentUpdate | undefined {
  const notice = decode(Notice, update);
  if (notice === undefined) return undefined;
  const { severity, title, description } = notice;
  return omitUndefined({ kind: "notice", severity, title, description, meta: notice._meta });
}

function decodeCompaction(update: unknown): AgentUpdate | undefined {
  const decoded = decode(CompactionUpdate, update);
  if (decoded === undefined) return undefined;
  const { compactionId, status, error } = decoded;
  const summary = decoded.summary === null ? null : decodeItems(decoded.summary, decodeContentBlock);
  return omitUndefined({ kind: "compaction", compactionId, status, summary, error, meta: decoded._meta });
}

function decodeCompactionChunk(update: unknown): AgentUpdate | undefined {
  const chunk = decode(CompactionSummaryChunk, update);
  const append = chunk && decodeContentBlock(chunk.content);
  return append && omitUndefined({ kind: "compaction", compactionId: chunk.compactionId, append, meta: chunk._meta });
}
