// SPDX-License-Identifier: MIT OR Apache-2.0
import { array, assert, constantFrom, nat, oneof, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { Utf8Repair } from "./output-tail.ts";

/** Random bytes, texts, and the bytes that decoders get wrong. */
const pieces = oneof(
  uint8Array({ maxLength: 20 }),
  constantFrom("a", "é", "€", "😀", "\uFEFF", "\0").map((text) => Buffer.from(text)),
  constantFrom([0xe0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xf4, 0x90], [0xc0], [0xf5], [0xff], [0x80]).map(
    (list) => Buffer.from(list),
  ),
);

test("any bytes, split anywhere, become what decoding them as a whole gives", () => {
  assert(
    property(array(pieces, { maxLength: 30 }), array(nat(7), { minLength: 1 }), (list, cuts) => {
      const all = Buffer.concat(list);
      const repair = new Utf8Repair();
      const out: Buffer[] = [];
      let at = 0;
      for (let turn = 0; at < all.length; turn += 1) {
        const length = (cuts[turn % cuts.length] ?? 0) + 1;
        out.push(Buffer.from(repair.write(all.subarray(at, at + length))));
        at += length;
      }
      out.push(repair.end());
      expect(Buffer.concat(out).toString("latin1")).toBe(Buffer.from(all.toString("utf8")).toString("latin1"));
    }),
    { numRuns: 2000 },
  );
});

test("only an incomplete character is held back", () => {
  const repair = new Utf8Repair();
  const emoji = Buffer.from("😀");
  expect(repair.write(Buffer.concat([Buffer.from("a"), emoji.subarray(0, 3)])).toString()).toBe("a");
  expect(repair.write(emoji.subarray(3)).toString()).toBe("😀");
  expect(repair.write(Buffer.from([0x61, 0xff])).toString()).toBe("a\uFFFD");
  expect(repair.end()).toHaveLength(0);
});
