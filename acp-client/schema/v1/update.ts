// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes session/update of ACP v1. The schema's union is closed, but agents add variants. Unknown ones are kept as
// received.
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import { truncateText } from "../../jsonrpc/sample.ts";
import type { AgentUpdate, ConfigOption, MessageRole } from "../../model.ts";
import {
  acpObject,
  clearableText,
  decode,
  identifier,
  isIdentifier,
  number,
  optionalIdentifier,
  undecoded,
  decodeItems,
} from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";
import { decodeConfigOptions } from "./config.ts";
import { decodeContentBlock, decodeContentBlockBySchema, asPlainText } from "./content.ts";
import { decodeToolCall, decodeToolCallUpdate, withSource } from "./tool-call.ts";

export const ContentChunk = acpObject({ content: z.unknown(), messageId: optionalIdentifier });
export const Plan = acpObject({ entries: undecoded });
export const PlanEntry = acpObject({ content: z.string(), priority: z.string(), status: z.string() });
export const AvailableCommandsUpdate = acpObject({ availableCommands: undecoded });
export const UnstructuredCommandInput = acpObject({ hint: z.string() });
export const AvailableCommand = acpObject({
  name: z.string(),
  description: z.string(),
  input: UnstructuredCommandInput.optional().catch(undefined),
});
/** Also reads `modeId`, which the official documentation once showed and some agents send. */
export const CurrentModeUpdate = acpObject({ currentModeId: optionalIdentifier, modeId: optionalIdentifier });
export const ConfigOptionUpdate = acpObject({ configOptions: undecoded });
export const SessionInfoUpdate = acpObject({
  title: clearableText,
  updatedAt: identifier.nullable().optional().catch(undefined),
});
export const Cost = acpObject({ amount: number, currency: z.string() });
/** Agents send null until they know the numbers. */
export const UsageUpdate = acpObject({
  used: number.nullable().catch(null),
  size: number.nullable().catch(null),
  cost: Cost.nullable().optional().catch(undefined),
});
export const Notice = acpObject({ severity: z.string(), title: z.string(), description: clearableText });
export const CompactionUpdate = acpObject({
  compactionId: identifier,
  status: z.string(),
  summary: undecoded,
  error: clearableText,
});
export const CompactionSummaryChunk = acpObject({ compactionId: identifier, content: z.unknown() });

export type DecodedUpdate =
  | AgentUpdate
  /** These depend on the session's earlier options, so SessionOptions applies them. */
  | { readonly kind: "current_mode"; readonly modeId: string; readonly meta?: unknown }
  | { readonly kind: "config_options"; readonly options: readonly ConfigOption[]; readonly meta?: unknown };

/** Length in UTF-16 units. Longer titles are truncated, since a title is shown wherever the session is listed. */
const titleCharactersMax = 4_096;

type Decoder = (update: Readonly<Record<string, unknown>>, line: string) => DecodedUpdate | undefined;

const decoders: Readonly<Record<string, Decoder>> = {
  user_message_chunk: (update) => decodeMessageChunk("user", update),
  agent_message_chunk: (update) => decodeMessageChunk("agent", update),
  agent_thought_chunk: (update) => decodeMessageChunk("thought", update),
  tool_call: (update, line) => toolCallUpdate(withSource(decodeToolCall(update), update, line)),
  tool_call_update: (update, line) => toolCallUpdate(withSource(decodeToolCallUpdate(update), update, line)),
  plan: by(Plan, ({ entries }) => ({
    kind: "plan",
    planId: "default",
    entries: decodeItems(entries, (entry) => decode(PlanEntry, entry)) ?? [],
  })),
  available_commands_update: by(AvailableCommandsUpdate, ({ availableCommands }) => ({
    kind: "commands",
    commands: decodeItems(availableCommands, (command) => decode(AvailableCommand, command)) ?? [],
  })),
  current_mode_update: by(CurrentModeUpdate, ({ currentModeId, modeId }) => {
    const id = currentModeId ?? modeId;
    return id === undefined ? undefined : { kind: "current_mode", modeId: id };
  }),
  config_option_update: by(ConfigOptionUpdate, ({ configOptions }) => ({
    kind: "config_options",
    options: decodeConfigOptions(configOptions) ?? [],
  })),
  session_info_update: by(SessionInfoUpdate, ({ title, updatedAt }) => ({
    kind: "info",
    title: typeof title === "string" ? truncateText(title, titleCharactersMax) : title,
    updatedAt,
  })),
  usage_update: by(UsageUpdate, ({ used, size, cost }) => ({ kind: "usage", used, size, cost })),
  notice: by(Notice, ({ severity, title, description }) => ({ kind: "notice", severity, title, description })),
  compaction_update: by(CompactionUpdate, ({ compactionId, status, summary, error }) => ({
    kind: "compaction",
    compactionId,
    status,
    summary: summary === null ? null : decodeItems(summary, decodeContentBlock),
    error,
  })),
  compaction_summary_chunk: by(CompactionSummaryChunk, ({ compactionId, content }) => {
    const append = decodeContentBlock(content);
    return append && { kind: "compaction", compactionId, append };
  }),
};

/** Returns a decoder by schema, which adds the update's `_meta` as `meta`. */
function by<Update extends { readonly _meta?: unknown }>(
  schema: z.ZodType<Update>,
  convert: (update: Update) => DecodedUpdate | undefined,
): Decoder {
  return (received) => {
    const update = decode(schema, received);
    const decoded = update && convert(update);
    return decoded && omitUndefined({ ...decoded, meta: update._meta });
  };
}

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
