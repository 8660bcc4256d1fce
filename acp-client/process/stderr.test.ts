// SPDX-License-Identifier: MIT OR Apache-2.0
import { assert, integer, property, array, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import { StderrLines, StderrTail } from "./stderr.ts";

function linesOf(...chunks: Buffer[]): string[] {
  const lines: string[] = [];
  const reader = new StderrLines((line) => lines.push(line));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

test("a line is whole wherever the reads split it, even within a character", () => {
  const bytes = Buffer.from("first é line\nsecond 😀 line\r\nlast");
  assert(
    property(integer({ min: 0, max: bytes.length }), (cut) => {
      const lines = linesOf(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(lines).toEqual(["first é line", "second 😀 line", "last"]);
    }),
  );
});

test("each state of a progress bar is a line", () => {
  expect(linesOf(Buffer.from("10%\r20%\r\r\n100%\n"))).toEqual(["10%", "20%", "100%"]);
});

test("an endless line is passed on in pieces instead of growing", () => {
  const lines = linesOf(...Array.from({ length: 100 }, () => Buffer.from("x".repeat(1000))));
  expect(lines.join("")).toBe("x".repeat(100_000));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(8192);
});

const asIs = (text: string): string => text;
const overlapBytes = 4096;

test("the tail is the end of the output, at most bytesMax bytes of whole characters", () => {
  const characters = constantFrom("a", "é", "€", "😀", "\n");
  const texts = array(characters, { maxLength: 3000 }).map((list) => list.join(""));
  assert(
    property(texts, integer({ min: 1, max: 700 }), integer({ min: 1, max: 64 }), (text, cut, bytesMax) => {
      const tail = new StderrTail({ bytesMax, redact: asIs });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += cut) tail.push(bytes.subarray(at, at + cut));
      const shown = tail.text();
      expect(text.endsWith(shown)).toBe(true);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytesMax);
      expect(Buffer.byteLength(shown)).toBeGreaterThan(Math.min(bytes.length, bytesMax) - 4);
    }),
  );
});

test("one chunk larger than the ring leaves its end", () => {
  const tail = new StderrTail({ bytesMax: 10, redact: asIs });
  tail.push(Buffer.from(`${"x".repeat(100_000)}0123456789`));
  expect(tail.text()).toBe("0123456789");
});

test("a secret is redacted even if the front of the ring or of the tail cuts through it", () => {
  const secret = "sk-very-secret-value";
  const redact = (text: string): string => text.replaceAll(secret, "***");
  const bytesMax = 100;
  const nearTheCuts = (after: number): boolean => after < 2 * bytesMax || after > overlapBytes - 50;
  for (let after = 0; after < bytesMax + overlapBytes + secret.length + 5; after += 1) {
    if (!nearTheCuts(after)) continue;
    const tail = new StderrTail({ bytesMax, redact });
    tail.push(Buffer.from(`${"y".repeat(5000)}${secret}${"z".repeat(after)}`));
    const shown = tail.text();
    for (let from = 0; from + 4 <= secret.length; from += 1) expect(shown).not.toContain(secret.slice(from, from + 4));
  }
});

test("redaction that shortens the text does not reveal part of another secret at the front", () => {
  const secret = "S".repeat(50);
  const tail = new StderrTail({ bytesMax: 64, redact: (text) => text.replaceAll(secret, "") });
  tail.push(Buffer.from("x".repeat(10) + secret.repeat(200)));
  expect(tail.text()).toBe("");
});

test("a flood in small pieces takes the memory of the ring and linear time", () => {
  const tail = new StderrTail({ bytesMax: 64 * 1024, redact: asIs });
  const piece = Buffer.from("0123456789abcdef");
  const seconds = (pushes: number): number => {
    const start = performance.now();
    for (let push = 0; push < pushes; push += 1) tail.push(piece);
    return (performance.now() - start) / 1000;
  };
  seconds(100_000);
  const small = seconds(100_000);
  expect(seconds(1_000_000)).toBeLessThan(Math.max(small, 0.005) * 60);
  expect(Buffer.byteLength(tail.text())).toBe(64 * 1024);
});
