// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

interface Split {
  readonly lines: string[];
  readonly overlong: number[];
}

function split(chunks: readonly (string | Buffer)[], lineBytesMax = 1024 * 1024): Split {
  const lines: string[] = [];
  const overlong: number[] = [];
  const splitter = new LineSplitter({
    lineBytesMax,
    onLine: (line) => lines.push(line),
    onOverlong: (bytes) => overlong.push(bytes),
    onUtf16: () => lines.push("UTF-16"),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
  splitter.end();
  return { lines, overlong };
}

test("a line with characters of one to four bytes arrives whole, wherever the bytes are split", () => {
  const bytes = Buffer.from('{"text":"aé€😀z"}\n{"more":"😀"}\r\n');
  const whole = split([bytes]).lines;
  expect(whole).toEqual(['{"text":"aé€😀z"}', '{"more":"😀"}']);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(split([bytes.subarray(0, cut), bytes.subarray(cut)]).lines).toEqual(whole);
  }
});

test("lines arrive as they were written, however the bytes are split", () => {
  const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const chunks: Buffer[] = [];
      for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
        const size = sizes[piece % Math.max(1, sizes.length)] ?? bytes.length;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const wanted = lines
        .map((text) =>
          Buffer.from(text)
            .toString()
            .replace(/^\ufeff/u, ""),
        )
        .filter((text) => text !== "");
      expect(split(chunks).lines).toEqual(wanted);
    }),
  );
});

test("LF and CRLF end a line, blank lines are skipped, and the last line needs no newline", () => {
  expect(split(["a\r\n\n\r\nb\n", "c"]).lines).toEqual(["a", "b", "c"]);
  expect(split(["a\r", "\nb\r"]).lines).toEqual(["a", "b"]);
});

test("a carriage return inside a line stays", () => {
  expect(split(["a\rb\n"]).lines).toEqual(["a\rb"]);
});

test("invalid UTF-8 becomes U+FFFD and the next line is untouched", () => {
  expect(split([Buffer.from([0x61, 0xff, 0xfe, 0x0a]), "next\n"]).lines).toEqual(["a\u{fffd}\u{fffd}", "next"]);
});

test("a NUL character passes", () => {
  expect(split(["a\u0000b\n"]).lines).toEqual(["a\u0000b"]);
});

test("a line of exactly the limit arrives, one byte more is reported once, and nothing follows it", () => {
  expect(split(["12345678\n"], 8)).toEqual({ lines: ["12345678"], overlong: [] });
  expect(split(["ok\n123456789\nlost\n", "lost\n"], 8)).toEqual({ lines: ["ok"], overlong: [9] });
});

test("a line that exceeds the limit in pieces is dropped before its newline comes", () => {
  expect(split(["ok\n1234", "56789"], 8)).toEqual({ lines: ["ok"], overlong: [9] });
});

test("nothing is delivered after the end", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    lineBytesMax: 8,
    onLine: (line) => lines.push(line),
    onOverlong: () => {},
    onUtf16: () => {},
  });
  splitter.push(Buffer.from("a"));
  splitter.end();
  splitter.end();
  splitter.push(Buffer.from("b\n"));
  expect(lines).toEqual(["a"]);
});

test(
  "one line of 20 MiB in 1 KiB pieces takes about as long as the same bytes in short lines",
  { tags: "slow" },
  () => {
    const pieces = 20 * 1024;
    const cost = (piece: Buffer): number => {
      let length = 0;
      const splitter = new LineSplitter({
        lineBytesMax: 64 * 1024 * 1024,
        onLine: (line) => (length += line.length),
        onOverlong: () => {},
        onUtf16: () => {},
      });
      // The processor's time in microseconds, since other tests run beside this one.
      const before = process.cpuUsage();
      for (let sent = 0; sent < pieces; sent += 1) splitter.push(piece);
      splitter.end();
      const { user, system } = process.cpuUsage(before);
      expect(length).toBeGreaterThan(pieces * 1000);
      return user + system;
    };
    const best = (piece: Buffer): number => Math.min(cost(piece), cost(piece), cost(piece));
    const oneLine = best(Buffer.alloc(1024, "a"));
    const shortLines = best(Buffer.from(`${"a".repeat(1023)}\n`));
    // Joining at each piece would copy 200 GB, tens of seconds. What is shorter than 50 ms is not measured well enough to
    // be compared with, on a machine that has other work.
    expect(oneLine).toBeLessThan(30 * Math.max(shortLines, 50_000));
  },
);

test("a byte order mark is removed, wherever it is split, and a line of nothing else is skipped", () => {
  const bytes = Buffer.from('\ufeff{"a":"\ufeff"}\n\ufeff\r\n\ufeff{}\n');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(split([bytes.subarray(0, cut), bytes.subarray(cut)]).lines).toEqual(['{"a":"\ufeff"}', "{}"]);
  }
});

test.for([
  [0xff, 0xfe],
  [0xfe, 0xff],
])("a text with a UTF-16 byte order mark (%i %i) is reported once, and none of it is delivered", (mark) => {
  const bytes = Buffer.concat([Buffer.from(mark), Buffer.from("{}\n{}\n", "utf16le")]);
  for (const cut of [1, 2, 3]) {
    expect(split([bytes.subarray(0, cut), bytes.subarray(cut), "more\n"]).lines).toEqual(["UTF-16"]);
  }
  expect(split(["a\n", bytes]).lines).not.toContain("UTF-16");
});

test.each([1, 2, 3, 5, 8, 100])(
  "in pieces of %i bytes, lines around an overlong one are delivered if it is skipped",
  (pieceBytes) => {
    const seen: string[] = [];
    const splitter = new LineSplitter({
      lineBytesMax: 4,
      skipsOverlong: true,
      onLine: (line) => seen.push(line),
      onOverlong: (bytes, start) => seen.push(`${bytes > 4}: ${start.slice(0, 1)}`),
      onNotUtf8: () => seen.push("not UTF-8"),
      onUtf16: () => {},
    });
    const bytes = Buffer.from("one\n123456789\ntwo\nabcdefgh\nabcdef\n\xff\n\xef\xbf\xbd\nlast", "latin1");
    for (let at = 0; at < bytes.length; at += pieceBytes) splitter.push(bytes.subarray(at, at + pieceBytes));
    splitter.end();
    expect(seen).toEqual(["one", "true: 1", "two", "true: a", "true: a", "not UTF-8", "\ufffd", "last"]);
  },
);
