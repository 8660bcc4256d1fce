// SPDX-License-Identifier: MIT OR Apache-2.0
import { isUtf8 } from "node:buffer";
import { array, assert, boolean, nat, oneof, property, string, tuple, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { OutputTail } from "./output-tail.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

const bytes = oneof(
  uint8Array({ maxLength: 60 }),
  string({ unit: "binary", maxLength: 20 }).map((text) => Buffer.from(text)),
);

test("the tail is the valid end of the decoded output, within its limit, and tells whether the beginning is missing", () => {
  assert(
    property(array(bytes, { maxLength: 40 }), nat(400), (chunks, bytesMax) => {
      const tail = new OutputTail(bytesMax);
      const writer = tail.writer();
      for (const chunk of chunks) writer.write(Buffer.from(chunk));
      writer.end();
      const whole = Buffer.concat(chunks).toString("utf8");
      const size = Buffer.byteLength(whole);
      const kept = tail.text();
      expect(whole.endsWith(kept)).toBe(true);
      expect(isUtf8(Buffer.from(kept))).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(bytesMax);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(Math.min(size, bytesMax) - 4);
      expect(tail.truncated).toBe(kept !== whole);
    }),
    { numRuns: 1000 },
  );
});

test("two streams split anywhere lose and mix no characters, and each keeps its order", () => {
  const texts = string({ unit: "grapheme", maxLength: 20 });
  assert(
    property(texts, texts, array(tuple(boolean(), nat(2))), (said, warned, turns) => {
      const tail = new OutputTail(10_000);
      const streams = [said, warned].map((text) => ({ rest: Buffer.from(text), writer: tail.writer() }));
      for (const [which, more] of turns) {
        const stream = streams[which ? 1 : 0];
        stream?.writer.write(stream.rest.subarray(0, more + 1));
        if (stream) stream.rest = stream.rest.subarray(more + 1);
      }
      for (const { rest, writer } of streams) {
        writer.write(rest);
        writer.end();
      }
      const sorted = (text: string): string => Array.from(text).toSorted().join("");
      expect(sorted(tail.text())).toBe(sorted(said + warned));
    }),
  );
});

test("a four-byte character of stdout stays whole when stderr arrives in its middle", () => {
  const tail = new OutputTail(100);
  const [stdout, stderr] = [tail.writer(), tail.writer()];
  const emoji = Buffer.from("😀");
  for (const byte of emoji.subarray(0, 3)) {
    stdout.write(Buffer.from([byte]));
    stderr.write(Buffer.from("!"));
  }
  stdout.write(emoji.subarray(3));
  expect(tail.text()).toBe("!!!😀");
});

test("a limit of zero bytes keeps nothing, and is truncated only once something came", () => {
  const tail = new OutputTail(0);
  expect([tail.text(), tail.truncated]).toEqual(["", false]);
  tail.writer().write(Buffer.from("x"));
  expect([tail.text(), tail.truncated]).toEqual(["", true]);
});

test("output of exactly the limit is not truncated, one byte more is", () => {
  const tail = new OutputTail(4);
  const writer = tail.writer();
  writer.write(Buffer.from("😀"));
  expect([tail.text(), tail.truncated]).toEqual(["😀", false]);
  writer.write(Buffer.from("a"));
  expect([tail.text(), tail.truncated]).toEqual(["a", true]);
});

test("the time is linear in the output, whatever the size of the reads", { tags: "slow" }, () => {
  const line = Buffer.from("Grüße €😀 0123456789\n".repeat(50));
  const cpuMs = (total: number, chunk: Buffer): number => {
    const tail = new OutputTail(64 * KiB);
    const writer = tail.writer();
    const start = process.cpuUsage();
    for (let done = 0; done < total; done += chunk.length) writer.write(chunk);
    expect(Buffer.byteLength(tail.text())).toBeGreaterThan(64 * KiB - 4);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  for (const chunk of [line, line.subarray(0, 101), Buffer.alloc(64 * KiB, 0xff)]) {
    const best = (total: number): number => Math.min(...[1, 2, 3].map(() => cpuMs(total, chunk)));
    // Sixteen times the output: quadratic time would be 256 times as long.
    expect(best(16 * MiB)).toBeLessThan(64 * Math.max(best(MiB), 2));
  }
});

test("a gigabyte costs no more memory than the tail", () => {
  const tail = new OutputTail(64 * KiB);
  const writer = tail.writer();
  const chunk = Buffer.from("0123456789abcdef".repeat(4 * KiB));
  const before = process.memoryUsage().arrayBuffers;
  for (let done = 0; done < 1024 * MiB; done += chunk.length) writer.write(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MiB);
});

test("a closed tail has no text any more", () => {
  const tail = new OutputTail(100);
  const writer = tail.writer();
  writer.write(Buffer.from("text"));
  tail.close();
  writer.write(Buffer.from("more"));
  expect([tail.text(), tail.truncated]).toEqual(["", true]);
});
