// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { samples, text } from "../../agent-client/testing/entry-samples.ts";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";
import { asRead, MappedSession } from "./testing/mapped.ts";

const said = (role: "user" | "agent" | "thought", words: string, turn = 1): EntryContent => ({
  kind: "message",
  role,
  message_id: `${role}${turn}`,
  content: text(words),
  turn,
  ...(role === "user" ? {} : { append: true as const }),
});
const call = (other: object): EntryContent => ({ kind: "tool_call", tool_call_id: "c", turn: 1, ...other });
const turn = (phase: "started" | "ended", stop_reason = "end_turn", number = 1): EntryContent => ({
  kind: "turn",
  turn: number,
  phase,
  ...(phase === "ended" ? { stop_reason } : {}),
});
const words = (updates: readonly unknown[]) =>
  updates.map((update) => (update as { content: { text: string } }).content.text);
const types = (updates: readonly unknown[]) =>
  updates.map((update) => (update as { sessionUpdate: string }).sessionUpdate);

test("of a turn that has ended, the prompt, the tool calls and the answer are told, in their order", () => {
  const past = new MappedSession().past(
    turn("started"),
    said("user", "hola"),
    said("thought", "secret"),
    call({ title: "Read a.ts", tool_kind: "read", status: "completed" }),
    samples.plan,
    samples.usage,
    samples.notice,
    samples.commands,
    samples.state,
    said("agent", "qué tal"),
    turn("ended"),
  );
  expect(past).toMatchObject([
    { sessionUpdate: "user_message_chunk", messageId: "t1-u1", content: text("hola") },
    { sessionUpdate: "tool_call", toolCallId: "c", title: "Read a.ts", kind: "read", status: "completed" },
    { sessionUpdate: "agent_message_chunk", content: text("qué tal") },
  ]);
});

test.each(["failed", "interrupted"])("an answer that was cut off as its turn %s is not told", (reason) => {
  const session = new MappedSession();
  const before = [
    turn("started"),
    said("user", "x"),
    said("agent", "I look"),
    call({ title: "T", status: "completed" }),
  ];
  expect(words(session.past(...before).filter((update) => "content" in (update as object)))).toEqual(["x", "I look"]);
  expect(session.past(said("agent", "ha"), said("agent", "lf"), turn("ended", reason))).toEqual([]);
  expect(session.mapper.endReplay()).toEqual([]);
});

test.each(["end_turn", "cancelled", "refusal"])("the answer of a turn that ended as %s is told", (reason) => {
  const session = new MappedSession();
  expect(words(session.past(said("agent", "so "), said("agent", "far"), turn("ended", reason)))).toEqual([
    "so ",
    "far",
  ]);
});

test("an answer at the end of the history is told, and so is one before other entries", () => {
  const session = new MappedSession();
  expect(session.past(said("agent", "one"))).toEqual([]);
  expect(words(session.past(said("agent", "two", 2), turn("started", "", 3)))).toEqual(["one", "two"]);
  expect(session.past(said("agent", "three", 3))).toEqual([]);
  expect(words(asRead(session.mapper.endReplay()))).toEqual(["three"]);
  expect(session.past(said("agent", "four", 4))).toEqual([]);
  expect(words(session.live(said("agent", "five", 4)))).toEqual(["four", "five"]);
});

test("an answer that is long is not held", () => {
  const session = new MappedSession();
  const long = "line\n".repeat(100_000);
  const all = [...session.past(said("agent", long), said("agent", long), said("agent", long))];
  expect(words(all).join("")).toBe(long.repeat(3));
});

test("of the running turn everything is told", () => {
  const running = new MappedSession().running(
    turn("started"),
    said("user", "go"),
    said("thought", "hm"),
    samples.plan,
    samples.permission,
    said("agent", "par"),
  );
  expect(types(running)).toEqual([
    "user_message_chunk",
    "agent_thought_chunk",
    "plan",
    "tool_call",
    "agent_message_chunk",
  ]);
});

test("the changes of a tool call are told together when it ends, so that a growing output is told once", () => {
  const session = new MappedSession();
  const content = [{ type: "content", content: text("one\n") }];
  const grow = (more: string) => call({ grow: [{ path: ["content", 0, "content", "text"], at: 0, text: more }] });
  const past = session.past(
    call({ title: "Run", tool_kind: "execute", status: "pending" }),
    call({ status: "in_progress", content }),
    grow("two\n"),
    grow("three\n"),
    call({ status: "completed", raw_output: { code: 0 }, _meta: { x: 1 } }),
  );
  expect(past).toEqual([
    { sessionUpdate: "tool_call", toolCallId: "c", title: "Run", kind: "execute", status: "pending" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
      content: [{ type: "content", content: text("one\ntwo\nthree\n") }],
      rawOutput: { code: 0 },
      _meta: { x: 1 },
    },
  ]);
});

test("the changes of a call that is open at the end of the history are told then", () => {
  const session = new MappedSession();
  session.running(call({ title: "Run", status: "pending" }), call({ status: "in_progress" }), call({ name: "sh" }));
  expect(asRead(session.mapper.endReplay())).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: "c", name: "sh", status: "in_progress" },
  ]);
  expect(session.mapper.endReplay()).toEqual([]);
  expect(session.live(call({ status: "completed" }))).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" },
  ]);
});

test("options and titles of the past are only noted, so that a change is told afterwards", () => {
  const choices = ["a", "b"].map((value) => ({ value, name: value }));
  const mode = (value: string): EntryContent => ({
    kind: "options",
    options: [{ option: "mode", name: "Mode", category: "mode", type: "select", value, choices }],
  });
  const session = new MappedSession();
  expect(session.past(mode("a"), mode("b"), { kind: "info", title: "T", name: "N" })).toEqual([]);
  expect(session.live(mode("b"))).toEqual([]);
  expect(types(session.live(mode("a")))).toEqual(["current_mode_update", "config_option_update"]);
  expect(session.live({ kind: "info", title: "U" })).toEqual([]);
});
