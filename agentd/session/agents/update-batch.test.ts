// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../core/input.ts";
import { UpdateBatch } from "./update-batch.ts";
import type { SessionInput } from "../core/input.ts";
import type { MessageUpdate } from "../core/messages.ts";

function chunk(text: string, more: Partial<MessageUpdate> = {}): SessionEvent {
  return {
    type: "update",
    update: { kind: "message", role: "agent", append: true, content: { type: "text", text }, ...more },
  };
}

function messages(inputs: readonly SessionInput[]): MessageUpdate[] {
  return inputs.flatMap((input) =>
    input.type === "agent" && input.event.type === "update" && input.event.update.kind === "message"
      ? [input.event.update]
      : [],
  );
}

test("adjacent chunks of one message become one input with their count", () => {
  const batch = new UpdateBatch(1000);
  for (const text of ["a", "b", "c"]) batch.event(chunk(text));
  expect(messages(batch.take())).toEqual([
    { kind: "message", role: "agent", append: true, content: { type: "text", text: "abc" }, chunks: 3 },
  ]);
  expect(batch.take()).toEqual([]);
});

test("a single chunk is unchanged", () => {
  const batch = new UpdateBatch(1000);
  batch.event(chunk("a"));
  expect(messages(batch.take())[0]).not.toHaveProperty("chunks");
});

test.each([
  ["another role", chunk("b", { role: "thought" })],
  ["another message", chunk("b", { messageId: "other" })],
  ["metadata of its own", chunk("b", { meta: { a: 1 } })],
  ["annotations", chunk("b", { content: { type: "text", text: "b", annotations: { priority: 1 } } })],
  ["another kind of content", chunk("b", { content: { type: "image", data: "", mimeType: "image/png" } })],
  ["the whole message instead of a piece", chunk("b", { append: false })],
])("a chunk with %s is not joined", (_, second) => {
  const batch = new UpdateBatch(1000);
  batch.event(chunk("a"));
  batch.event(second);
  batch.event(chunk("c"));
  expect(messages(batch.take())).toHaveLength(3);
});

test("an input between two chunks keeps its place", () => {
  const batch = new UpdateBatch(1000);
  batch.event(chunk("a"));
  batch.add({ type: "stopped" });
  batch.event(chunk("b"));
  expect(batch.take().map(({ type }) => type)).toEqual(["agent", "stopped", "agent"]);
});

test("joined inputs keep the whole text in order and stay within the limit", () => {
  const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 50 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 64 }), (texts, bytesMax) => {
      const batch = new UpdateBatch(bytesMax);
      for (const text of texts) batch.event(chunk(text));
      const joined = messages(batch.take());
      expect(joined.map(({ content }) => content["text"]).join("")).toBe(texts.join(""));
      expect(joined.reduce((sum, { chunks }) => sum + (chunks ?? 1), 0)).toBe(texts.length);
      for (const { content, chunks } of joined) {
        if (chunks !== undefined) expect(Buffer.byteLength(content["text"] as string)).toBeLessThanOrEqual(bytesMax);
      }
    }),
  );
});
