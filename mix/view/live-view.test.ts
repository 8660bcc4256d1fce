// SPDX-License-Identifier: MIT OR Apache-2.0
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import { plain } from "../../display/styled.ts";
import { streamSink } from "../../display/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { detectScreen } from "./live-view.ts";
import { Transcript } from "./transcript.ts";

const said = (role: "agent" | "thought", text: string): Entry => ({
  log: "l",
  session: "s",
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  kind: "message",
  turn: 1,
  role,
  message_id: role,
  content: { type: "text", text },
});

test.each([
  [{ isTTY: true, columns: 100 }, 100],
  [{ isTTY: true, columns: 0 }, 80],
  [{ isTTY: true }, 80],
  [{ columns: 100 }, 0],
])("a stdout of %j is %i columns wide", (kind, columns) => {
  expect(
    detectScreen({
      stdout: new TextOutput(streamSink(Object.assign(new PassThrough(), kind))),
      env: {},
      words: [],
      home: "",
    }).columns,
  ).toBe(columns);
});

test("the column at which the last row ends is known, so that a line below it can be erased", () => {
  const transcript = new Transcript({ style: plain, columns: 20, showPrompts: false });
  const ends: number[] = [];
  for (const [role, text] of [
    ["agent", "one two"],
    ["agent", " three four five"],
    ["agent", " six\n"],
    ["thought", "one two "],
  ] as const) {
    transcript.show(said(role, text));
    ends.push(transcript.column);
  }
  // The last word is held back, because it may be incomplete.
  expect(ends).toEqual(["one".length, "one two three four".length, 0, "✻ one two".length]);
});
