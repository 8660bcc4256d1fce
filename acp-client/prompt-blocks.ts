// SPDX-License-Identifier: MIT OR Apache-2.0
// Adapts the blocks of a prompt to an agent's capabilities. Every agent takes text and resource links. A block of
// another type is converted if it can be, and otherwise the prompt is refused: without its image it would mean
// something else.
import type { AgentCapabilities, ContentBlock } from "./model.ts";
import { isRecord } from "../json/record.ts";
import { truncateText } from "./jsonrpc/sample.ts";
import { decodeContentBlock } from "./schema/v1/content.ts";

export type SupportedBlocks =
  | { readonly type: "blocks"; readonly blocks: readonly ContentBlock[] }
  | { readonly type: "refused"; readonly message: string };

export type PromptCapabilities = Pick<AgentCapabilities, "promptImage" | "promptAudio" | "promptEmbeddedContext">;

export function toSupportedBlocks(blocks: readonly ContentBlock[], offered: PromptCapabilities): SupportedBlocks {
  if (blocks.length === 0) return { type: "refused", message: "The prompt is empty" };
  const supported: ContentBlock[] = [];
  for (const [index, block] of blocks.entries()) {
    const tellable = toSupportedBlock(block, offered);
    if (typeof tellable === "string") return { type: "refused", message: `Block ${index + 1}: ${tellable}` };
    supported.push(tellable);
  }
  return { type: "blocks", blocks: supported };
}

/** Returns the block to send, or an error message. */
function toSupportedBlock(given: ContentBlock, offered: PromptCapabilities): ContentBlock | string {
  const block = decodeContentBlock(given);
  if (block === undefined) return "it lacks a member that its type requires";
  switch (block.type) {
    case "text":
    case "resource_link":
      return block;
    case "image":
      return offered.promptImage ? block : "this agent does not take images";
    case "audio":
      return offered.promptAudio ? block : "this agent does not take audio";
    case "resource":
      return offered.promptEmbeddedContext ? block : unembed(block, offered);
    default:
      return `"${block.type}" is not a block type of ACP`;
  }
}

/** Converts an embedded resource to text, image or audio. A link is no substitute: the agent could not follow it. */
function unembed(block: ContentBlock, offered: PromptCapabilities): ContentBlock | string {
  const { resource, annotations } = block;
  if (!isRecord(resource) || typeof resource["uri"] !== "string") return "it has no resource";
  const { uri, text, blob: data, mimeType } = resource;
  const about = annotations === undefined ? {} : { annotations };
  if (typeof text === "string") return { type: "text", text: `${uri}\n\n${text}`, ...about };
  const type = typeof mimeType === "string" ? mimeType : "without a mimeType";
  if (offered.promptImage && /^image\//iu.test(type)) return { type: "image", data, mimeType, uri, ...about };
  if (offered.promptAudio && /^audio\//iu.test(type)) return { type: "audio", data, mimeType, ...about };
  return `this agent does not take embedded bytes (${truncateText(type, 100)})`;
}
