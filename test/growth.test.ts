// SPDX-License-Identifier: MIT OR Apache-2.0
// Tool output that an agent sends again whole with each update: what the log keeps of it, and who puts it together.
// @module-tag slow
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findGrowths } from "../agentd/session/core/tools/growth.ts";
import type { Entry, ToolCallEntry } from "../agentd/vocabulary/index.ts";
import { applyGrowth } from "../agent-client/view/tool-call.ts";
import { openScene } from "./cases/scene.ts";

const line = "a line of output, as a compiler writes it by the thousand\n";
const updates = 200;
const linesPerUpdate = 20;

test("200 updates of a growing output make a log of less than three times its end, and give it back whole", async () => {
  const outputOf = (update: number) => line.repeat(update * linesPerUpdate);
  const steps = Array.from({ length: updates }, (_, index) => ({
    update: {
      sessionUpdate: index === 0 ? "tool_call" : "tool_call_update",
      toolCallId: "make",
      ...(index === 0 ? { title: "make", kind: "execute" } : {}),
      status: index === updates - 1 ? "completed" : "in_progress",
      content: [{ type: "content", content: { type: "text", text: outputOf(index + 1) } }],
    },
  }));
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: [...steps, "default"] }] } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "build it");
  await user.entry(session, (entry) => entry.kind === "turn" && entry.phase === "ended");
  const logged = (await user.log(session)).filter(isToolCall);
  expect(logged).toHaveLength(updates);
  const bytes = logged.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
  expect(bytes).toBeLessThan(3 * outputOf(updates).length);
  let content: unknown;
  for (const entry of logged) {
    content = entry.content ?? content;
    for (const { path, text } of entry.grow ?? []) content = applyGrowth(content, path.slice(1), text);
  }
  expect(content).toEqual(steps.at(-1)!.update.content);
});

test("what agentd says of a growth, the command line puts together again", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(fc.array(fc.dictionary(text, text, { maxKeys: 4 }), { maxLength: 4 }), text, (old, more) => {
      const next = old.map((item) =>
        Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value + more])),
      );
      const told = findGrowths(old, next, []);
      // Half a character at an end is no growth: such a value is said whole.
      fc.pre(told !== undefined);
      let value: unknown = old;
      for (const growth of told) value = applyGrowth(value, growth.path, growth.text);
      expect(value).toEqual(next);
    }),
  );
});

test("a growth of a text that is not there changes nothing", () => {
  const value = [{ a: "one" }];
  for (const path of [[1, "a"], [0, "b"], [0, "a", "c"], [0]]) expect(applyGrowth(value, path, "two")).toEqual(value);
});

function isToolCall(entry: Entry): entry is Entry & ToolCallEntry {
  return entry.kind === "tool_call";
}
