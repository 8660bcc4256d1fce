// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { callLimits, type EntryContent } from "../vocabulary/index.ts";
import type { Log } from "./open.ts";
import { type PageQuery, rowsPerPageMax } from "./read.ts";
import { alpha, bravo, fill, message, temporaryLog } from "./testing/temporary-log.ts";

test("the pages of a session are together the whole session, whatever their size", () => {
  const log = temporaryLog();
  fill(log, bravo, 5);
  fill(log, alpha, 25);
  fill(log, bravo, 5);
  for (const limit of [1, 7, 12, 24, 25, 26]) {
    expect(seqs(pages(log, { session: alpha, limit }))).toEqual(range(1, 25));
    expect(pages(log, { session: alpha, limit })).toHaveLength(Math.ceil(25 / limit));
  }
});

test("`after` and `before` are exclusive", () => {
  const log = temporaryLog();
  fill(log, alpha, 10);
  expect(log.entries.page({ session: alpha, after: 3, before: 7 })).toMatchObject({ lastSeq: 10 });
  expect(seqs([log.entries.page({ session: alpha, after: 3, before: 7 })])).toEqual([4, 5, 6]);
  expect(log.entries.page({ session: alpha, after: 3, before: 7 }).next).toBeUndefined();
  expect(log.entries.page({ session: alpha, after: 3, before: 7, limit: 2 }).next).toBe(5);
  expect(log.entries.page({ session: alpha, after: 10 })).toEqual({ entries: [], lastSeq: 10 });
  expect(log.entries.page({ session: alpha, after: 99 })).toEqual({ entries: [], lastSeq: 10 });
  expect(log.entries.page({ session: alpha, after: 5, before: 5 })).toEqual({ entries: [], lastSeq: 10 });
});

test("`before` without `after` gives the last entries before it, in order, and pages lead back to the first", () => {
  const log = temporaryLog();
  fill(log, alpha, 10);
  const last = log.entries.page({ session: alpha, before: 11, limit: 4 });
  expect(seqs([last])).toEqual([7, 8, 9, 10]);
  expect(last).toMatchObject({ previous: 7, lastSeq: 10 });
  expect(last.next).toBeUndefined();
  const middle = log.entries.page({ session: alpha, before: last.previous!, limit: 4 });
  expect(seqs([middle])).toEqual([3, 4, 5, 6]);
  expect(middle).toMatchObject({ previous: 3, next: 6 });
  const first = log.entries.page({ session: alpha, before: middle.previous!, limit: 4 });
  expect(seqs([first])).toEqual([1, 2]);
  expect(first.previous).toBeUndefined();
  expect(log.entries.page({ session: alpha, before: 1 })).toEqual({ entries: [], next: 0, lastSeq: 10 });
});

test("an unknown session has an empty page and no last seq", () => {
  const log = temporaryLog();
  expect(log.entries.page({ session: alpha })).toEqual({ entries: [], lastSeq: 0 });
  expect(log.entries.lastSeq(alpha)).toBeUndefined();
  expect(log.entries.body(alpha, 1)).toBeUndefined();
  expect(log.entries.piece(alpha, 1, 0, 10)).toBeUndefined();
  expect(log.entries.lastSeq("instance")).toBe(0);
});

test("a page never reaches into the next session", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  fill(log, bravo, 1);
  expect(log.entries.body(alpha, 2)).toBeUndefined();
  expect(log.entries.body(alpha, 2 ** 30 + 1)).toBeUndefined();
  expect(log.entries.body(bravo, 0)).toBeUndefined();
  expect(log.entries.body(bravo, 1)).toContain(`"session":"${bravo}"`);
});

test("a page is filtered by kinds, by turn, or by both", () => {
  const log = temporaryLog();
  const entries: EntryContent[] = [
    { kind: "turn", turn: 1, phase: "started" },
    message("a", { turn: 1 }),
    { kind: "turn", turn: 1, phase: "ended" },
    { kind: "info", title: "between" },
    { kind: "turn", turn: 2, phase: "started" },
    message("b", { turn: 2 }),
  ];
  log.append([{ session: alpha, expectSeq: 0, entries }]);
  const picked = (query: Partial<PageQuery>) => seqs([log.entries.page({ session: alpha, ...query })]);
  expect(picked({ kinds: ["turn"] })).toEqual([1, 3, 5]);
  expect(picked({ kinds: ["message", "info"] })).toEqual([2, 4, 6]);
  expect(picked({ turn: 1 })).toEqual([1, 2, 3]);
  expect(picked({ turn: 2, kinds: ["message", "command"] })).toEqual([6]);
  expect(picked({ kinds: ["no such kind", "toString"] })).toEqual([]);
  expect(picked({ kinds: ["turn"], before: 5 })).toEqual([1, 3]);
});

test("a filter that matches almost nothing gives pages that each scan a bounded number of entries", () => {
  const log = temporaryLog();
  log.append([{ session: alpha, expectSeq: 0, entries: [{ kind: "info", title: "first" }] }]);
  fill(log, alpha, 2 * rowsPerPageMax);
  const all = pages(log, { session: alpha, kinds: ["info"] });
  expect(all.map((page) => [page.entries.length, page.next])).toEqual([
    [1, rowsPerPageMax],
    [0, 2 * rowsPerPageMax],
    [0, undefined],
  ]);
  const last = log.entries.page({ session: alpha, before: 2 * rowsPerPageMax + 2, kinds: ["info"] });
  expect(last).toMatchObject({ entries: [], previous: rowsPerPageMax + 2 });
  expect(seqs([log.entries.page({ session: alpha, before: last.previous!, kinds: ["info"] })])).toEqual([]);
  expect(seqs([log.entries.page({ session: alpha, before: 3, kinds: ["info"] })])).toEqual([1]);
});

test("pages stay within 4 MiB and skip nothing", () => {
  const log = temporaryLog();
  fill(log, alpha, 12, () => "é".repeat(450_000));
  const all = pages(log, { session: alpha });
  for (const page of all)
    expect(Buffer.byteLength(page.entries.join(","))).toBeLessThanOrEqual(callLimits.pageBytesMax);
  expect(all).toHaveLength(3);
  expect(seqs(all)).toEqual(range(1, 12));
  const back = log.entries.page({ session: alpha, before: 13 });
  expect(seqs([back])).toEqual([9, 10, 11, 12]);
  expect(back.previous).toBe(9);
});

test("a page has one entry even if that alone exceeds the requested bytes", () => {
  const log = temporaryLog();
  fill(log, alpha, 3);
  expect(seqs(pages(log, { session: alpha, bytesMax: 1 }))).toEqual([1, 2, 3]);
});

test("an entry over 1 MiB appears only with its size, one of exactly 1 MiB in full", () => {
  const log = temporaryLog();
  const overhead = log.append([{ session: alpha, expectSeq: 0, entries: [message("")] }])[0]!.bodies[0]!.length;
  const fits = "x".repeat(callLimits.entryBytesMax - overhead);
  log.append([{ session: alpha, expectSeq: 1, entries: [message(fits), message(`${fits}x`)] }]);
  const [, whole, cut] = log.entries
    .page({ session: alpha })
    .entries.map((text) => JSON.parse(text) as { content?: { text: string } });
  expect(whole?.content?.text).toBe(fits);
  expect(cut).toEqual({
    log: log.id,
    session: alpha,
    seq: 3,
    kind: "message",
    truncated: true,
    bytes: callLimits.entryBytesMax + 1,
  });
});

test("the pieces of an entry are together the entry, whatever their size", () => {
  const log = temporaryLog();
  let seq = 0;
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (text, bytes) => {
        log.append([{ session: alpha, expectSeq: seq, entries: [message(text)] }]);
        seq += 1;
        const body = log.entries.body(alpha, seq)!;
        const total = Buffer.byteLength(body);
        let read = "";
        for (let offset = 0; offset < total;) {
          const piece = log.entries.piece(alpha, seq, offset, bytes)!;
          expect(piece).toMatchObject({ offset, total, bytes: Buffer.byteLength(piece.text) });
          expect(piece.bytes).toBeGreaterThan(0);
          expect(piece.bytes).toBeLessThanOrEqual(Math.max(bytes, 4));
          read += piece.text;
          offset += piece.bytes;
        }
        expect(read).toBe(body);
        expect(log.entries.piece(alpha, seq, total, bytes)).toEqual({ offset: total, bytes: 0, text: "", total });
        expect(log.entries.piece(alpha, seq, total + 9, bytes)).toMatchObject({ bytes: 0, text: "" });
      },
    ),
    { numRuns: 60 },
  );
});

test("paging 100,000 entries takes no more memory than paging a few", { tags: "slow" }, () => {
  const log = temporaryLog();
  fill(log, alpha, 100_000, () => "x".repeat(200));
  const page = { session: alpha, limit: 1000 };
  for (let warm = 0, after = 0; warm < 20; warm += 1) after = log.entries.page({ ...page, after }).next!;
  const before = process.memoryUsage().rss;
  let peak = before;
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const { entries, next } = log.entries.page({ ...page, after });
    count += entries.length;
    after = next;
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  expect(count).toBe(100_000);
  // The entries are 37 MB of text; two pages are under one.
  expect((peak - before) / 2 ** 20).toBeLessThan(25);
});

function pages(log: Log, query: PageQuery): ReturnType<Log["entries"]["page"]>[] {
  const all = [log.entries.page(query)];
  for (let next = all[0]?.next; next !== undefined; next = all.at(-1)?.next)
    all.push(log.entries.page({ ...query, after: next }));
  return all;
}

function seqs(all: readonly { readonly entries: readonly string[] }[]): number[] {
  return all.flatMap((page) => page.entries.map((text) => (JSON.parse(text) as { seq: number }).seq));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
