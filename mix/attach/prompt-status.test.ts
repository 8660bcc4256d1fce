// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";
import { PromptStatus } from "./prompt-status.ts";

const at = "2026-12-01T12:00:00.000Z";
const began = Date.parse(at);

function after(...contents: EntryContent[]): PromptStatus {
  return contents.reduce(
    (status, content, index) => status.apply({ log: "l", session: "s", seq: index + 1, at, ...content }),
    new PromptStatus("idle"),
  );
}
const started = (turn: number): EntryContent => ({ kind: "turn", turn, phase: "started" });
const queued = (turn: number): EntryContent => ({ kind: "turn", turn, phase: "queued" });
const ended = (turn: number): EntryContent => ({ kind: "turn", turn, phase: "ended", stop_reason: "end_turn" });
const running: EntryContent = { kind: "state", state: "running" };
const prompt = (turn: number, text: string): EntryContent => ({
  kind: "message",
  turn,
  role: "user",
  message_id: `t${turn}`,
  content: { type: "text", text },
});

test.each([
  [0, "running 0s > ", 1000],
  [12_300, "running 12s > ", 700],
  [65_000, "running 1m05s > ", 1000],
  [7_500_000, "running 2h05m > ", 1000],
  [-5_000, "running 0s > ", 1000],
])("after %i ms a running turn is told, and when that changes", (ms, text, changesIn) => {
  const status = after(started(1), running);
  expect([status.prompt(began + ms), status.changesIn(began + ms)]).toEqual([text, changesIn]);
});

test("an idle session has a bare prompt, and no time that passes", () => {
  const status = after(started(1), running, ended(1), { kind: "state", state: "idle" });
  expect([status.prompt(began), status.changesIn(began), status.notes()]).toEqual(["> ", undefined, []]);
});

test("a silence of the model is told beside the turn's time until the model goes on", () => {
  const since = new Date(began + 10_000).toISOString();
  const silent: EntryContent = { kind: "diagnostic", turn: 1, what: "model-silent", message: "m", since };
  const status = after(started(1), running, silent, queued(2), prompt(2, "more"));
  expect(status.prompt(began + 45_000)).toBe("running 45s · no answer for 35s · 1 queued > ");
  const word: EntryContent = {
    kind: "message",
    turn: 1,
    role: "agent",
    message_id: "m",
    content: { type: "text", text: "hm" },
  };
  const entry = (content: EntryContent) => ({ log: "l", session: "s", seq: 9, at, ...content });
  expect(status.apply(entry(word)).prompt(began + 45_000)).toBe("running 45s · 1 queued > ");
  expect(status.apply(entry({ kind: "state", state: "waiting" })).prompt(began + 45_000)).toBe("waiting · 1 queued > ");
});

test("queued prompts are counted and shown until their turn starts, or ends in the queue", () => {
  const five = [2, 3, 4, 5, 6].flatMap((turn) => [queued(turn), prompt(turn, `prompt ${turn}`)]);
  const all = after(started(1), running, ...five);
  expect(all.prompt(began + 1000)).toBe("running 1s · 5 queued > ");
  expect(all.notes()).toEqual(["  queued: prompt 2", "  queued: prompt 3", "  queued: prompt 4", "  … 2 more queued"]);
  const later = after(started(1), running, ...five, ended(4), ended(1), started(2), ended(3));
  expect([later.prompt(began), later.notes()]).toEqual([
    "running 0s · 2 queued > ",
    ["  queued: prompt 5", "  queued: prompt 6"],
  ]);
});
