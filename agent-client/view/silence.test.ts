// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { type EntryContent, type EntryKind, entryKinds } from "../../agentd/vocabulary/entries.ts";
import { samples } from "../testing/entry-samples.ts";
import { foldSilence } from "./silence.ts";

const since = "2026-12-01T10:00:00.000Z";
const silent: EntryContent = { kind: "diagnostic", what: "model-silent", message: "m", since };

test("a silence begins with agentd's report, and has no beginning in another diagnostic", () => {
  expect(foldSilence(undefined, silent)).toBe(since);
  expect(foldSilence(undefined, samples.diagnostic)).toBeUndefined();
});

test("it ends with whatever the model, a tool or a person does, and with the turn", () => {
  const ends = entryKinds.filter((kind) => foldSilence(since, samples[kind]) === undefined);
  const expected: EntryKind[] = [
    "turn",
    "message",
    "tool_call",
    "plan",
    "compaction",
    "permission",
    "elicitation",
    "file",
    "terminal",
    "extension",
  ];
  expect(ends).toEqual(expected);
});

test("a queued prompt does not end it", () => {
  const prompt: EntryContent = { ...samples.message, role: "user", turn: 2 };
  expect(foldSilence(foldSilence(since, { kind: "turn", turn: 2, phase: "queued" }), prompt)).toBe(since);
});
