// SPDX-License-Identifier: MIT OR Apache-2.0

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RandomBytes } from "./random-bytes.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

test("what is taken differs each time, past the end of a block and from one source to the next", () => {
  const [one, other] = [new RandomBytes(), new RandomBytes()];
  const taken = [one, other].flatMap((random) => Array.from({ length: 600 }, () => random.take(16).toString("hex")));
  expect(new Set(taken).size).toBe(1_200);
  expect(taken.every((hex) => hex.length === 32)).toBe(true);
});

test("where the device is missing, a file, or without a byte, the bytes are random nonetheless", () => {
  const file = join(temporaryDirectory(), "urandom");
  writeFileSync(file, Buffer.alloc(4_096));
  for (const device of [file, "/nonexistent/urandom", "/dev/null"]) {
    const random = new RandomBytes(device);
    const first = Buffer.from(random.take(64));
    expect(first.equals(Buffer.alloc(64))).toBe(false);
    expect(first.equals(random.take(64))).toBe(false);
  }
});
