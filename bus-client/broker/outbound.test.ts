// SPDX-License-Identifier: MIT OR Apache-2.0

import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import * as ws from "ws";
import { encodeFrame } from "./outbound.ts";

/** The frame parser of the `ws` library, which its types do not include. */
const { Receiver } = ws as unknown as { readonly Receiver: new (options: object) => NodeJS.WritableStream };

/** Returns the messages that a client reads from the bytes, received in chunks of the given size. */
function readAll(bytes: Buffer, chunkBytes: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const messages: string[] = [];
    const receiver = new Receiver({ isServer: false, maxPayload: 0, allowSynchronousEvents: true });
    receiver.on("message", (data: Buffer, isBinary: boolean) => messages.push(isBinary ? "<binary>" : data.toString()));
    receiver.on("error", reject).on("finish", () => resolve(messages));
    for (let at = 0; at < bytes.length; at += chunkBytes) receiver.write(bytes.subarray(at, at + chunkBytes));
    receiver.end();
  });
}

test("the beginning of a frame and the bytes after it are the frame of the whole text", () => {
  const text = string({ unit: "grapheme", maxLength: 200 });
  assert(
    property(text, text, (head, end) => {
      const bytes = Buffer.from(end);
      expect(Buffer.concat([encodeFrame(head, bytes.length), bytes]).equals(encodeFrame(head + end))).toBe(true);
    }),
  );
});

test("lengths at the limits of the three length forms are read back", async () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]) {
    const message = "é".repeat(length >> 1) + "x".repeat(length & 1);
    expect(await readAll(encodeFrame(message), 65_537)).toEqual([message]);
  }
});

test("messages are read whole and in order however their bytes are split", async () => {
  const messages = ["one", "", "zwölf", "x".repeat(300)];
  const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)));
  for (const chunkBytes of [1, 2, 3, 5, 1_000]) expect(await readAll(bytes, chunkBytes)).toEqual(messages);
});
