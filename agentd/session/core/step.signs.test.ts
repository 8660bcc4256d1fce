// SPDX-License-Identifier: MIT OR Apache-2.0
// What agents tell by means of their own, read by their quirks.
import { expect, test } from "vitest";
import type { AgentUpdate, ToolCallPatch } from "../../../acp-client/model.ts";
import type { EntryContent } from "../../vocabulary/index.ts";
import type { AgentSigns } from "./agent-signs.ts";
import { SessionScript } from "./testing/session-script.ts";

function running(): SessionScript {
  const script = new SessionScript();
  script.up();
  script.prompt("go");
  return script;
}

function signs(script: SessionScript, ...all: AgentSigns[]): EntryContent[] {
  const update = { kind: "info", title: "t" } as const;
  return all.flatMap((each) => [...script.put({ type: "agent", event: { type: "update", update }, signs: each })]);
}

const end = (entries: readonly EntryContent[]) => entries.find(({ kind }) => kind === "turn");

test("a turn that its agent calls failed ends as failed with the agent's error, though it answers end_turn", () => {
  const script = running();
  signs(script, { errorText: "429: no quota" }, { hasFailed: true });
  expect(end(script.answered(1))).toMatchObject({
    stop_reason: "failed",
    sent: true,
    error: { error_code: "AGENT_ERROR", message: "429: no quota" },
  });
  script.prompt("again");
  expect(end(script.answered(2))).toMatchObject({ stop_reason: "end_turn" });
});

test.each<[string, AgentSigns[], string]>([
  ["the error that was tried again in vain", [{ retriedError: "500" }, { hasFailed: true }], "500"],
  ["words of agentd's own without a text of the agent", [{ hasFailed: true }], "the agent reported a failure"],
])("a failed turn has %s", (_, all, message) => {
  const script = running();
  signs(script, ...all);
  expect(end(script.answered(1))).toMatchObject({ stop_reason: "failed", error: { message } });
});

test.each<[string, AgentSigns[], string]>([
  ["a failure that was taken back", [{ hasFailed: true }, { hasFailed: false }], "end_turn"],
  ["a warning alone", [{ errorText: "unknown model" }], "end_turn"],
  ["a failure beside another stop reason", [{ hasFailed: true }], "max_tokens"],
])("%s changes nothing", (_, all, stopReason) => {
  const script = running();
  signs(script, ...all);
  const ended = end(script.answered(1, stopReason));
  expect(ended).toMatchObject({ stop_reason: stopReason });
  expect(ended).not.toHaveProperty("error");
});

test("an error that the agent tries again is told once for each error, and the turn goes on", () => {
  const script = running();
  const entries = signs(script, { retriedError: "429" }, { retriedError: "429" }, { retriedError: "500" });
  expect(entries.filter(({ kind }) => kind === "diagnostic")).toMatchObject(
    ["429", "500"].map((error) => ({
      turn: 1,
      what: "model-retry",
      message: `a request to the model failed, and the agent tries again: ${error}`,
    })),
  );
  expect(end(script.answered(1))).toMatchObject({ stop_reason: "end_turn" });
});

test.each(["end_turn", "refusal", "max_tokens"])(
  "a cancelled turn is cancelled though its agent answers %s",
  (reason) => {
    const script = running();
    script.cancel();
    signs(script, { hasFailed: true });
    const ended = script.put({
      type: "prompt_done",
      turn: 1,
      outcome: { ok: true, value: { stopReason: reason, usage: { totalTokens: 3 } } },
    });
    expect(end(ended)).toMatchObject({ stop_reason: "cancelled", usage: { total_tokens: 3 } });
    expect(end(ended)).not.toHaveProperty("error");
  },
);

test("signs outside a turn are ignored", () => {
  const script = new SessionScript();
  script.up();
  expect(signs(script, { hasFailed: true, retriedError: "x" }).map(({ kind }) => kind)).toEqual(["info"]);
});

test("what a sub-agent does names the tool call that started it, in its tool calls and messages", () => {
  const script = running();
  const signed = (update: AgentUpdate) =>
    script.put({ type: "agent", event: { type: "update", update }, signs: { parentToolCall: "task" } });
  const text = { type: "text", text: "hm" };
  expect(signed({ kind: "tool_call", call: { toolCallId: "t", title: "Read", status: "pending" } })).toMatchObject([
    { kind: "tool_call", tool_call_id: "t", parent_tool_call_id: "task" },
  ]);
  expect(signed({ kind: "message", role: "agent", append: true, content: text })).toMatchObject([
    { kind: "message", parent_tool_call_id: "task" },
  ]);
  expect(script.text("own")[0]).not.toHaveProperty("parent_tool_call_id");
  expect(end(script.answered(1))).toMatchObject({ stop_reason: "end_turn" });
});

test("a question about a sub-agent's call names the call that started it, and the people asked read its title", () => {
  const script = running();
  script.people = "there";
  const told = (call: ToolCallPatch, sign?: AgentSigns) =>
    script.put({
      type: "agent",
      event: { type: "update", update: { kind: "tool_call", call } },
      ...(sign === undefined ? {} : { signs: sign }),
    });
  told({ toolCallId: "task", title: "Explore", status: "pending" });
  told({ toolCallId: "tool", title: "Write", status: "pending" }, { parentToolCall: "task" });
  const [asked] = script.asks(1);
  expect(asked).toMatchObject({
    kind: "permission",
    tool_call: { tool_call_id: "tool", parent_tool_call_id: "task" },
    sub_agent: "Explore",
  });
  expect(script.effects.find(({ type }) => type === "ask_people")).toMatchObject({
    body: expect.stringContaining("asked by a sub-agent: Explore") as string,
  });
  expect(script.asks(2, "task")[0]).not.toHaveProperty("sub_agent");
  told({ toolCallId: "late", title: "Write", status: "pending" }, { parentToolCall: "unseen" });
  expect(script.asks(3, "late")[0]).toMatchObject({ sub_agent: "unseen" });
});
