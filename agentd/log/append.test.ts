// SPDX-License-Identifier: MIT OR Apache-2.0
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, RawJson } from "../../json/raw-json.ts";
import { LogError } from "./log-error.ts";
import {
  codeOf,
  alpha,
  bravo,
  everything,
  fill,
  message,
  otherConnection,
  temporaryLog,
} from "./testing/temporary-log.ts";

const at = "2030-01-02T03:04:05.678Z";
const clock = { now: () => Date.parse(at) };

test("an entry begins with its head, whatever the order of its members", () => {
  const log = temporaryLog({ clock });
  const [appended] = log.append([
    {
      session: alpha,
      expectSeq: 0,
      entries: [
        { message_id: "m", content: { type: "text", text: "hi" }, late: true, role: "agent", turn: 3, kind: "message" },
        { kind: "turn", phase: "ended", turn: 3, stop_reason: "end_turn" },
      ],
    },
  ]);
  const head = `{"log":"${log.id}","session":"${alpha}","seq":`;
  expect({ ...appended, bodies: appended?.bodies.map(String) }).toEqual({
    session: alpha,
    seqFrom: 1,
    seq: 2,
    at,
    bodies: [
      `${head}1,"at":"${at}","turn":3,"late":true,"kind":"message","message_id":"m","content":{"type":"text","text":"hi"},"role":"agent"}`,
      `${head}2,"at":"${at}","turn":3,"kind":"turn","phase":"ended","stop_reason":"end_turn"}`,
    ],
  });
  expect(log.entries.page({ session: alpha }).entries).toEqual(appended?.bodies.map(String));
});

test("an entry of any size is stored as the text that append returns, whose bytes are never overwritten", () => {
  const log = temporaryLog();
  const other = otherConnection(log.file);
  const sizes = [10, 1000, 1024, 2000, 21_000, 22_000, 30_000, 100_000, 300_000, 5000, 60_000, 5000];
  const texts = sizes.flatMap((size) => ["x", "é", "😀", "\n"].map((unit) => unit.repeat(size / unit.length)));
  const entries = texts.map((text) => message(text));
  const [appended] = log.append([{ session: alpha, expectSeq: 0, entries }]);
  const rows = other.prepare("SELECT typeof(body) AS type, body FROM entry").all() as { type: string; body: string }[];
  expect(rows.map(({ type }) => type)).toEqual(texts.map(() => "text"));
  expect(rows.map(({ body }) => body)).toEqual(appended!.bodies.map(String));
  expect(rows.map(({ body }) => (JSON.parse(body) as { content: { text: string } }).content.text)).toEqual(texts);
});

test("a value that is kept as its source text is logged as it was written", () => {
  const log = temporaryLog();
  const text = String.raw`{ "b":1.0, "2":1e400 ,"1":[ ],"b":-0, "__proto__":{"c":"\u0041\/\u0000\ud800é😀"}}`;
  const call = { kind: "tool_call", tool_call_id: "t", raw_input: new RawJson(text), status: "completed" } as const;
  const [appended] = log.append([{ session: alpha, expectSeq: 0, entries: [call] }]);
  const logged = log.entries.body(alpha, 1)!;
  expect(logged).toContain(`,"tool_call_id":"t","raw_input":${text},"status":"completed"}`);
  expect(appended!.bodies.map(String)).toEqual([logged]);
  expect(parseJson(logged)).toMatchObject({ raw_input: { b: new RawJson("-0"), 2: new RawJson("1e400"), 1: [] } });
});

test("returned bodies are the bytes of the log, and later commits do not change them", () => {
  const log = temporaryLog();
  const kept = [0, 1, 2].flatMap((commit) => {
    const entries = [100, 2000, 100_000].map((length) => message(`${commit}é`.repeat(length)));
    return log.append([{ session: alpha, expectSeq: 3 * commit, entries }])[0]!.bodies;
  });
  for (const [index, body] of kept.entries()) {
    expect(body.toString()).toBe(log.entries.body(alpha, index + 1));
    expect(body.length).toBe(Buffer.byteLength(body.toString()));
  }
});

test("an entry with no member but its kind is valid JSON", () => {
  const log = temporaryLog({ clock });
  const [appended] = log.append([{ session: alpha, expectSeq: 0, entries: [{ kind: "info" }] }]);
  expect(JSON.parse(appended!.bodies[0]!.toString())).toEqual({
    log: log.id,
    session: alpha,
    seq: 1,
    at,
    kind: "info",
  });
});

test("each session of a transaction has its own seqs, without gaps, in the given order", () => {
  const log = temporaryLog();
  fill(log, alpha, 3);
  const appended = log.append([
    { session: bravo, expectSeq: 0, entries: [message("b1")] },
    { session: alpha, expectSeq: 3, entries: [message("a4"), message("a5")] },
    { session: bravo, expectSeq: 1, entries: [message("b2")] },
    { session: alpha, expectSeq: 5, entries: [] },
    { session: alpha, expectSeq: 5, entries: [message("a6")] },
  ]);
  expect(appended.map(({ session, seqFrom, seq }) => [session, seqFrom, seq])).toEqual([
    [bravo, 1, 1],
    [alpha, 4, 5],
    [bravo, 2, 2],
    [alpha, 6, 5],
    [alpha, 6, 6],
  ]);
  expect(everything(log, alpha).map((entry) => entry["seq"])).toEqual([1, 2, 3, 4, 5, 6]);
  expect(everything(log, bravo).map((entry) => (entry["content"] as { text: string }).text)).toEqual(["b1", "b2"]);
});

test("any text is read back unchanged, including NUL and lone surrogates", () => {
  const log = temporaryLog();
  let seq = 0;
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom("", "\0", "\uD800", "x\uDC00y"),
      (text, odd) => {
        const [appended] = log.append([{ session: alpha, expectSeq: seq, entries: [message(text + odd)] }]);
        seq += 1;
        const body = log.entries.body(alpha, seq)!;
        expect(body).toBe(appended!.bodies[0]!.toString());
        expect((JSON.parse(body) as { content: { text: string } }).content.text).toBe(text + odd);
      },
    ),
    { numRuns: 50 },
  );
});

test("a commit that expects a wrong seq is a plain error, and the whole batch is dropped", () => {
  const log = temporaryLog();
  fill(log, alpha, 2);
  for (const expectSeq of [0, 1, 3]) {
    const flush = () =>
      log.append([
        { session: bravo, expectSeq: 0, entries: [message("b1")] },
        { session: alpha, expectSeq, entries: [message("x")] },
      ]);
    expect(flush).toThrow(`session ${alpha} is at seq 2 in the log, and a commit expects ${expectSeq}`);
  }
  expect(log.sessions.row(bravo)).toBeUndefined();
  expect(log.entries.lastSeq(alpha)).toBe(2);
  fill(log, alpha, 1);
  expect(everything(log, alpha)).toHaveLength(3);
});

test("two openers of one file do not mix their entries", () => {
  const first = temporaryLog();
  const second = temporaryLog({ file: first.file });
  expect(second.id).toBe(first.id);
  fill(first, alpha, 2);
  fill(second, alpha, 2);
  fill(second, bravo, 1);
  expect(() => first.append([{ session: alpha, expectSeq: 2, entries: [message("late")] }])).toThrow("expects 2");
  fill(first, alpha, 1);
  expect(everything(second, alpha).map((entry) => entry["seq"])).toEqual([1, 2, 3, 4, 5]);
});

test("a lock that another process holds gives `busy`, and nothing is written", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  const other = otherConnection(log.file);
  other.exec("BEGIN IMMEDIATE");
  expect(codeOf(() => fill(log, alpha, 1))).toBe("busy");
  other.exec("ROLLBACK");
  fill(log, alpha, 1);
  expect(log.entries.lastSeq(alpha)).toBe(2);
});

test("a full disk gives `full`, leaves nothing of the batch, and appending works again when there is room", () => {
  const { file, ...small } = temporaryLog({ pageCountMax: 120 });
  fill({ file, ...small }, alpha, 1);
  const flush = (log: typeof small) =>
    log.append([
      { session: alpha, expectSeq: 1, entries: [message("small")] },
      { session: bravo, expectSeq: 0, entries: [message("x".repeat(2_000_000))] },
    ]);
  expect(codeOf(() => flush(small))).toBe("full");
  expect(small.entries.lastSeq(alpha)).toBe(1);
  expect(small.entries.lastSeq(bravo)).toBeUndefined();
  // The same connection can append what fits.
  fill({ file, ...small }, alpha, 1);
  expect(small.entries.lastSeq(alpha)).toBe(2);
  const roomy = temporaryLog({ file });
  roomy.append([{ session: bravo, expectSeq: 0, entries: [message("x".repeat(2_000_000))] }]);
  expect(otherConnection(file).pragma("integrity_check", { simple: true })).toBe("ok");
});

test("a LogError names the file and has the cause", () => {
  const log = temporaryLog({ pageCountMax: 120 });
  const append = () => log.append([{ session: alpha, expectSeq: 0, entries: [message("x".repeat(2_000_000))] }]);
  expect(append).toThrow(LogError);
  expect(append).toThrow(log.file);
  expect(append).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ code: "SQLITE_FULL" }) as unknown }),
  );
});

test("each session's commits are chained: the digests can be recomputed from the bodies", () => {
  const log = temporaryLog();
  fill(log, alpha, 2);
  log.append([
    { session: alpha, expectSeq: 2, entries: [message("one")] },
    { session: bravo, expectSeq: 0, entries: [message("other")] },
    { session: alpha, expectSeq: 3, entries: [message("two"), message("\uD800 three")] },
  ]);
  fill(log, alpha, 300);
  const seals = otherConnection(log.file)
    .prepare<[string], { first: number; last: number; salt: Buffer; digest: Buffer }>(
      "SELECT first & 1073741823 AS first, last & 1073741823 AS last, salt, digest FROM seal JOIN session ON sid = first >> 30 WHERE id = ? ORDER BY seal.first",
    )
    .all(alpha);
  // One seal per transaction: the two commits of the second share one.
  expect(seals.map(({ first, last }) => [first, last])).toEqual([
    [1, 2],
    [3, 5],
    [6, 261],
    [262, 305],
  ]);
  let previous: Uint8Array = new Uint8Array(32);
  for (const { first, last, salt, digest } of seals) {
    const bodies = Array.from({ length: last - first + 1 }, (_, index) => log.entries.body(alpha, first + index)!);
    const made = createHash("sha256").update(previous).update(salt).update(bodies.join("")).digest();
    expect(made.equals(digest)).toBe(true);
    previous = digest;
  }
});

test("secret literals are stored apart from the entries, and a later start replaces them", () => {
  const log = temporaryLog();
  log.append([{ session: alpha, expectSeq: 0, entries: [message("x")], literals: '{"KEY":"s3cret"}' }]);
  expect(log.literals(alpha)).toBe('{"KEY":"s3cret"}');
  log.append([{ session: alpha, expectSeq: 1, entries: [], literals: '{"KEY":"other"}' }]);
  expect(log.literals(alpha)).toBe('{"KEY":"other"}');
  expect(log.literals(bravo)).toBeUndefined();
  expect(JSON.stringify(everything(log, alpha))).not.toContain("s3cret");
});
