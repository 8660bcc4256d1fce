// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { redactedSample, redactedValue } from "./redaction.ts";

const redact = (text: string): string => text.replaceAll("s3cret", "[redacted]");

test("a secret that a sample would cut in two is taken out before", () => {
  expect(redactedSample("key s3cret", 7, redact)).toBe("key [re");
  expect(redactedSample("key s3cret", 100, redact)).toBe("key [redacted]");
  expect(redactedSample("x".repeat(1_000_000), 10, redact)).toBe("x".repeat(10));
});

test("in a value secrets are taken out of every string and every name, and nothing else changes", () => {
  const value = { a: ["s3cret", 1, null, true], "of s3cret": { b: "no", c: "the s3cret!" } };
  expect(redactedValue(value, redact)).toEqual({
    a: ["[redacted]", 1, null, true],
    "of [redacted]": { b: "no", c: "the [redacted]!" },
  });
});
