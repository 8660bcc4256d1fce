// SPDX-License-Identifier: MIT OR Apache-2.0
import { array, assert, nat, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { ByteRing, utf8Tail } from "./byte-ring.ts";

test("the ring holds the last bytes up to its capacity, and tells whether any were dropped", () => {
  assert(
    property(array(uint8Array({ maxLength: 3000 }), { maxLength: 10 }), nat(5000), (chunks, capacity) => {
      const ring = new ByteRing(capacity);
      for (const chunk of chunks) ring.push(Buffer.from(chunk));
      const all = Buffer.concat(chunks);
      expect(ring.bytes().equals(all.subarray(Math.max(0, all.length - capacity)))).toBe(true);
      expect(ring.wasCut).toBe(all.length > capacity);
    }),
  );
});

test("a closed ring holds nothing and accepts nothing", () => {
  const ring = new ByteRing(100);
  ring.push(Buffer.from("before"));
  ring.close();
  ring.push(Buffer.from("after"));
  expect(ring.bytes()).toHaveLength(0);
  expect(ring.wasCut).toBe(true);
});

test("the tail of a text has no partial character", () => {
  const text = Buffer.from("a😀b");
  expect([6, 5, 4, 3, 2, 1, 0].map((bytesMax) => utf8Tail(text, bytesMax))).toEqual([
    "a😀b",
    "😀b",
    "b",
    "b",
    "b",
    "b",
    "",
  ]);
});
