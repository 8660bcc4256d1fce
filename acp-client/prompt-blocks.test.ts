// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ContentBlock } from "./model.ts";
import { toSupportedBlocks } from "./prompt-blocks.ts";
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

test.for(Object.entries(blocks))("%s is sent unchanged to an agent that supports everything", ([, block]) => {
  expect(toSupportedBlocks([block], everything)).toEqual({ type: "blocks", blocks: [block] });
});

test("text and links are sent to every agent", () => {
  const { text, link } = blocks as { text: ContentBlock; link: ContentBlock };
  expect(toSupportedBlocks([text, link], nothing)).toEqual({ type: "blocks", blocks: [text, link] });
});

test.for(["image", "audio"])("%s is refused for an agent that does not take it", (name) => {
  expect(toSupportedBlocks([blocks[name] as ContentBlock], nothing)).toMatchObject({ type: "refused" });
});

test("an embedded text becomes text with its URI for an agent without embedded context", () => {
  expect(toSupportedBlocks([blocks["embeddedText"] as ContentBlock], nothing)).toEqual({
    type: "blocks",
    blocks: [{ type: "text", text: "file:///a.txt\n\nthe text" }],
  });
});

const images = { ...nothing, promptImage: true };
const sounds = { ...nothing, promptAudio: true };

function embedded(mimeType?: string | null): ContentBlock {
  return { type: "resource", resource: { uri: "file:///d/b.bin?x", blob: "AA==", ...(mimeType ? { mimeType } : {}) } };
}

test.for([
  ["image/png", images, { type: "image", data: "AA==", mimeType: "image/png", uri: "file:///d/b.bin?x" }],
  ["IMAGE/JPEG", images, { type: "image", data: "AA==", mimeType: "IMAGE/JPEG", uri: "file:///d/b.bin?x" }],
  ["audio/wav", sounds, { type: "audio", data: "AA==", mimeType: "audio/wav" }],
] as const)("embedded bytes of the type %s become a block that the agent supports", ([mimeType, offered, block]) => {
  expect(toSupportedBlocks([embedded(mimeType)], offered)).toEqual({ type: "blocks", blocks: [block] });
});

test.for([
  ["image/png", sounds],
  ["audio/wav", images],
  ["application/pdf", { ...images, ...sounds, promptImage: true }],
  ["not an image/png", images],
  [null, images],
  ["image/png", nothing],
] as const)("embedded bytes of the type %s are refused if no block type fits: %j", ([type, offered]) => {
  expect(toSupportedBlocks([embedded(type)], offered)).toEqual({
    type: "refused",
    message: `Block 1: this agent does not take embedded bytes (${type ?? "without a mimeType"})`,
  });
});

test.for([
  { type: "text" },
  { type: "image", data: "AA==" },
  { type: "resource_link", uri: "file:///a" },
  { type: "resource", resource: { uri: "file:///a" } },
  { type: "video", data: "AA==" },
])("a block that is unknown to ACP or incomplete is refused and named: %j", (block) => {
  expect(toSupportedBlocks([blocks["text"] as ContentBlock, block], everything)).toMatchObject({
    type: "refused",
    message: expect.stringContaining("Block 2: "),
  });
});

test("an empty prompt is refused", () => {
  expect(toSupportedBlocks([], everything)).toEqual({ type: "refused", message: "The prompt is empty" });
});

test("the blocks that are sent are valid ACP, even if the given block was not", () => {
  const crooked = { type: "text", text: "x", annotations: { audience: ["nobody"], priority: "high" }, _meta: 5 };
  for (const offered of [nothing, everything]) {
    const told = toSupportedBlocks(
      [...Object.values(blocks).filter((block) => offered.promptImage || typeof block["text"] === "string"), crooked],
      offered,
    );
    expect(told.type).toBe("blocks");
    const prompt = told.type === "blocks" ? told.blocks : undefined;
    expect(objections("PromptRequest", JSON.parse(JSON.stringify({ sessionId: "s", prompt })))).toEqual([]);
  }
});
