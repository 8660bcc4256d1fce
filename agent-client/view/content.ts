// SPDX-License-Identifier: MIT OR Apache-2.0
import type { ContentBlock } from "../../agentd/vocabulary/entries.ts";

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

function joinWords(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}
