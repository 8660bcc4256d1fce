// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { alpha, fill, temporaryLog } from "../log/testing/temporary-log.ts";
import type { EntryContent } from "../vocabulary/index.ts";
import { digestLog, TranscriptDigest, describeTranscriptDifference, renderTranscript } from "./transcript.ts";

const words = "é words ";
/** A page lists a larger entry by its size alone. */
const entryBytesMax = 1024 * 1024;

test("a message that is too big for a page is in the transcript, by its end", () => {
  const log = temporaryLog();
  fill(log, alpha, 1, () => words.repeat(entryBytesMax / 4));
  fill(log, alpha, 1, () => "the end");
  const text = renderTranscript(log.entries, alpha, 99, 1000) ?? "";
  expect(text.endsWith(`${words}the end`)).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThan(1100);
});

test("a replay that tells a message too big for a page in small pieces tells the same past", async () => {
  const log = temporaryLog();
  fill(log, alpha, 3, (index) => (index === 2 ? words.repeat(entryBytesMax / 4) : `${index}`));
  const atOnce = (): Promise<void> => Promise.resolve();
  const replay = new TranscriptDigest();
  replay.add("agent", "1");
  for (let piece = 0; piece < 4; piece += 1) replay.add("agent", words.repeat(entryBytesMax / 16));
  replay.add("agent", "3");
  expect(describeTranscriptDifference(replay, await digestLog(log.entries, alpha, 3, atOnce))).toBeUndefined();
  const shorter = new TranscriptDigest();
  shorter.add("agent", "13");
  expect(describeTranscriptDifference(shorter, await digestLog(log.entries, alpha, 3, atOnce))).toContain(
    "2 characters",
  );
});

test("nothing is told of a session in which nothing was said, nor of the turn that asks", () => {
  const log = temporaryLog();
  expect(renderTranscript(log.entries, alpha, 1, 1000)).toBeUndefined();
  fill(log, alpha, 2);
  expect(renderTranscript(log.entries, alpha, 1, 1000)).toContain("message 1message 2");
});

test("a prompt that got no answer is told apart from the next one, and an answer in pieces is one paragraph", () => {
  const log = temporaryLog();
  const say = (turn: number, role: "user" | "agent", text: string): EntryContent => ({
    kind: "message",
    turn,
    role,
    message_id: `${role}${turn}`,
    content: { type: "text", text },
    ...(role === "agent" ? { append: true as const } : {}),
  });
  const entries = [
    say(1, "user", "one"),
    say(2, "user", "two"),
    say(2, "agent", "yes, "),
    say(2, "agent", "two"),
    say(3, "user", "three"),
  ];
  log.append([{ session: alpha, expectSeq: 0, entries }]);
  expect(renderTranscript(log.entries, alpha, 4, 1000)).toContain(
    "[user] one\n\n[user] two\n\n[agent] yes, two\n\n[user] three",
  );
});
