// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import type { ContentBlock } from "../../model.ts";
import { acpObject, clearableText, decode, number, optionalText, decodeItems, wholeNumber } from "../lenient.ts";
import { omitUndefined } from "../../../json/omit-undefined.ts";

const audience = z
  .unknown()
  .optional()
  .transform((value) => decodeItems(value, (item) => (item === "assistant" || item === "user" ? item : undefined)));

export const Annotations = acpObject({
  audience,
  lastModified: optionalText,
  priority: number.optional().catch(undefined),
});

const annotations = Annotations.optional().catch(undefined);

export const TextContent = acpObject({ type: z.literal("text"), text: z.string(), annotations });

export const ImageContent = acpObject({
  type: z.literal("image"),
  data: z.string(),
  mimeType: z.string(),
  uri: optionalText,
  annotations,
});

export const AudioContent = acpObject({
  type: z.literal("audio"),
  data: z.string(),
  mimeType: z.string(),
  annotations,
});

export const ResourceLink = acpObject({
  type: z.literal("resource_link"),
  uri: z.string(),
  name: z.string(),
  title: optionalText,
  description: optionalText,
  mimeType: optionalText,
  size: wholeNumber.optional().catch(undefined),
  annotations,
});

export const TextResourceContents = acpObject({ uri: z.string(), text: z.string(), mimeType: clearableText });

export const BlobResourceContents = acpObject({ uri: z.string(), blob: z.string(), mimeType: clearableText });

export const EmbeddedResource = acpObject({
  type: z.literal("resource"),
  resource: z.union([TextResourceContents, BlobResourceContents]),
  annotations,
});

const ByType = {
  text: TextContent,
  image: ImageContent,
  audio: AudioContent,
  resource_link: ResourceLink,
  resource: EmbeddedResource,
} as const;

/** Returns undefined for an invalid block. Blocks of an unknown type are kept as received. */
export function decodeContentBlock(value: unknown): ContentBlock | undefined {
  return asPlainText(value) ?? decodeContentBlockBySchema(value);
}

/** Decodes any block by its schema, which is slow. */
export function decodeContentBlockBySchema(value: unknown): ContentBlock | undefined {
  if (!isRecord(value) || typeof value["type"] !== "string") return undefined;
  const { type } = value;
  if (!Object.hasOwn(ByType, type)) return { ...value, type };
  const block: ContentBlock | undefined = decode<ContentBlock>(ByType[type as keyof typeof ByType], value);
  return block === undefined ? undefined : omitUndefined(block);
}

/** Returns a plain text block as it is, without schema or copy: agents send thousands of them. */
export function asPlainText(value: unknown): ContentBlock | undefined {
  if (!isRecord(value) || value["type"] !== "text" || typeof value["text"] !== "string") return undefined;
  if (Object.hasOwn(value, "annotations") || Object.hasOwn(value, "_meta") || Object.hasOwn(value, "__proto__")) {
    return undefined;
  }
  return value as ContentBlock;
}
