// SPDX-License-Identifier: MIT OR Apache-2.0
// What stands for a content block in a terminal. The text is the agent's own and not printable yet.
import type { ContentBlock } from "../../agentd/vocabulary/entries.ts";

export function contentText(block: ContentBlock): string {
  if (block.type === "text" && typeof block["text"] === "string") return block["text"];
  if (block.type === "resource_link") return `[${words(block["name"], block["uri"])}]`;
  if (block.type === "resource") {
    const resource = block["resource"];
    return `[${words("resource", typeof resource === "object" && resource !== null ? (resource as { uri?: unknown }).uri : undefined)}]`;
  }
  return `[${words(block.type, block["mimeType"])}]`;
}

function words(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}
