// SPDX-License-Identifier: MIT OR Apache-2.0
import type { ContentBlock, ToolCallFields } from "../../agentd/vocabulary/entries.ts";

/** Returns a block's text, or a placeholder in brackets. The result is the agent's text and not printable yet. */
export function contentToText(block: ContentBlock): string {
  if (block.type === "text" && typeof block["text"] === "string") return block["text"];
  if (block.type === "resource_link") return `[${joinWords(block["name"], block["uri"])}]`;
  if (block.type === "resource") {
    const resource = block["resource"];
    return `[${joinWords("resource", typeof resource === "object" && resource !== null ? (resource as { uri?: unknown }).uri : undefined)}]`;
  }
  return `[${joinWords(block.type, block["mimeType"])}]`;
}

type Content = Pick<ToolCallFields, "content">;

/** ACP's diffs: `path`, `oldText`, `newText`. */
export function findDiffs(fields: Content): ContentBlock[] {
  return findContentBlocks(fields).filter(({ type }) => type === "diff");
}

/** The outputs of a tool call, as text. */
export function findOutputText(fields: Content): string {
  return findContentBlocks(fields)
    .map((item) => (item.type === "content" && isContentBlock(item["content"]) ? contentToText(item["content"]) : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function findContentBlocks(fields: Content): ContentBlock[] {
  return (fields.content ?? []).filter(isContentBlock);
}

function isContentBlock(value: unknown): value is ContentBlock {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function joinWords(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}
