// SPDX-License-Identifier: MIT OR Apache-2.0

import { createHash } from "node:crypto";
import { assert, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { sha1 } from "./sha1.ts";

test("the digest of any bytes is the one that node:crypto gives, around the ends of blocks as well", () => {
  const expected = (bytes: Buffer): string => createHash("sha1").update(bytes).digest("hex");
  for (let length = 0; length <= 200; length++) {
    const bytes = Buffer.alloc(length, length);
    expect(sha1(bytes).toString("hex")).toBe(expected(bytes));
  }
  assert(
    property(uint8Array({ maxLength: 5_000 }), (array) => {
      const bytes = Buffer.from(array);
      return sha1(bytes).toString("hex") === expected(bytes);
    }),
  );
});

test("the handshake that RFC 6455 shows has the answer that it shows", () => {
  const key = "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  expect(sha1(Buffer.from(key)).toString("base64")).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});
