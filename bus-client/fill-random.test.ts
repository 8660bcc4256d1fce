// SPDX-License-Identifier: MIT OR Apache-2.0

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillRandom } from "./fill-random.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

test("every byte is filled, otherwise each time", () => {
  const [first, second] = [Buffer.alloc(64), Buffer.alloc(64)];
  fillRandom(first);
  fillRandom(second);
  expect(first.equals(second)).toBe(false);
  expect(first.subarray(48).equals(Buffer.alloc(16))).toBe(false);
});

test("where the device is missing, a file, or without a byte, the bytes are random nonetheless", () => {
  const file = join(temporaryDirectory(), "urandom");
  writeFileSync(file, Buffer.alloc(64));
  for (const device of [file, "/nonexistent/urandom", "/dev/null"]) {
    const bytes = Buffer.alloc(64);
    fillRandom(bytes, device);
    expect(bytes.equals(Buffer.alloc(64))).toBe(false);
  }
});
