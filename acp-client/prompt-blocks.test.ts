// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ContentBlock } from "./model.ts";
import { tellableBlocks } from "./prompt-blocks.ts";
import { objections } from "./testing/official-schema.ts";

const nothing = { promptImage: false, promptAudio: false, promptEmbeddedContext: false };
const everything = { promptImage: true, promptAudio: true, promptEmbeddedContext: true };

const blocks: Readonly<Record<string, ContentBlock>> = {
  text: { type: "text", text: "hi" },
  link: { type: "resource_link", uri: "file:///a.txt", name: "a.txt" },
  image: { type: "image", data: "AA==", mimeType: "image/png" },
  audio: { type: "audio", data: "AA==", mimeType: "audio/wav" },
  embeddedText: { type: "resource", resource: { uri: "file:///a.txt", text: "the text" } },
  embeddedBytes: { type: "resource", resource: { uri: "file:///d/b.bin?x", blob: "AA==", mimeType: "a/b" } },
};

test.for(Object.entries(blocks))("%s goes as it is to an agent that takes everything", ([, block]) => {
  expect(tellableBlocks([block], everything)).toEqual({ type: "blocks", blocks: [block] });
});

test("text and links go to every agent", () => {
  const { text, link } = blocks as { text: ContentBlock; link: ContentBlock };
  expect(tellableBlocks([text, link], nothing)).toEqual({ type: "blocks", blocks: [text, link] });
});

test.for(["image", "audio"])("%s is refused for an agent that does not take it", (name) => {
  expect(tellableBlocks([blocks[name] as ContentBlock], nothing)).toMatchObject({ type: "refused" });
});

test("an embedded text becomes text with its address for an agent that takes no embedded context", () => {
  expect(tellableBlocks([blocks["embeddedText"] as ContentBlock], nothing)).toEqual({
    type: "blocks",
    blocks: [{ type: "text", text: "file:///a.txt\n\nthe text" }],
  });
});

test("embedded bytes become a link where there is an address to open, and are refused where there is none", () => {
  expect(tellableBlocks([blocks["embeddedBytes"] as ContentBlock], nothing)).toEqual({
    type: "blocks",
    blocks: [{ type: "resource_link", uri: "file:///d/b.bin?x", name: "b.bin", mimeType: "a/b" }],
  });
  const nowhere = { type: "resource", resource: { uri: "memory:1", blob: "AA==" } };
  expect(tellableBlocks([nowhere], nothing)).toMatchObject({ type: "refused" });
});

test.for([
  { type: "text" },
  { type: "image", data: "AA==" },
  { type: "resource_link", uri: "file:///a" },
  { type: "resource", resource: { uri: "file:///a" } },
  { type: "video", data: "AA==" },
])("a block that ACP does not know, or that lacks what it needs, is refused and named: %j", (block) => {
  expect(tellableBlocks([blocks["text"] as ContentBlock, block], everything)).toMatchObject({
    type: "refused",
    message: expect.stringContaining("Block 2: "),
  });
});

test("an empty prompt is refused", () => {
  expect(tellableBlocks([], everything)).toEqual({ type: "refused", message: "The prompt is empty" });
});

test("whatever is told is valid ACP, also where the given block was not quite", () => {
  const crooked = { type: "text", text: "x", annotations: { audience: ["nobody"], priority: "high" }, _meta: 5 };
  for (const offered of [nothing, everything]) {
    const told = tellableBlocks(
      [...Object.values(blocks).filter(({ type }) => type !== "image" && type !== "audio"), crooked],
      offered,
    );
    const prompt = told.type === "blocks" ? told.blocks : undefined;
    expect(objections("PromptRequest", JSON.parse(JSON.stringify({ sessionId: "s", prompt })))).toEqual([]);
  }
});
