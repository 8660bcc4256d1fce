// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { EntryContent } from "../../vocabulary/index.ts";
import { listOpenTools } from "./tools/tool-ledger.ts";
import { newSession, phaseOf } from "./state.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

test("a prompt of the start waits until the agent is ready and then runs with no idle in between", () => {
  const script = new SessionScript({ prompt: "hello" });
  expect(kinds(script.entries)).toEqual(["command", "state:starting", "turn:1:queued", "message", "reply"]);
  expect(kinds(script.up())).toEqual(["turn:1:started", "state:running"]);
  expect(script.effects.map(({ type }) => type)).toEqual(["launch", "prompt", "arm"]);
});

test("a second prompt while one runs is refused as AGENT_BUSY and leaves nothing in the log", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  const { seq } = script.state;
  expect(script.prompt("two")).toEqual([]);
  expect(script.refusals[0]).toMatchObject({ error_code: "AGENT_BUSY", turn: 1, queued: 0 });
  expect(script.state.seq).toBe(seq);
});

test("a queued prompt starts when the turn before ends, with no idle in between", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.prompt("two", "queue");
  expect(kinds(script.answered(1))).toEqual(["turn:1:ended", "turn:2:started"]);
  expect(phaseOf(script.state)).toBe("running");
});

test("a turn that needs a login leaves the session idle and ends the queued turns unsent, with the reason", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.prompt("two", "queue");
  const failure = { code: "AGENT_AUTH", message: "log in", methods: [], agent: "mine" } as const;
  const entries = script.put({ type: "prompt_done", turn: 1, outcome: { ok: false, failure } });
  const error = { error_code: "AGENT_AUTH", message: "log in", methods: [], agent: "mine" };
  expect(entries).toMatchObject([
    { kind: "turn", turn: 1, stop_reason: "failed", sent: true, error },
    { kind: "turn", turn: 2, stop_reason: "interrupted", sent: false, error },
    { kind: "state", state: "idle" },
  ]);
});

test("the queue takes its maximum of prompts and refuses one more", () => {
  const script = new SessionScript({}, { queuedPromptsMax: 2 });
  script.up();
  script.prompt("one");
  script.prompt("two", "queue");
  script.prompt("three", "queue");
  expect(script.prompt("four", "queue")).toEqual([]);
  expect(script.refusals[0]).toMatchObject({ error_code: "AGENT_BUSY", queued: 2 });
});

test("text after the answer belongs to the ended turn and is late", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.answered(1);
  expect(script.text("more")[0]).toMatchObject({ kind: "message", turn: 1, late: true });
});

test("a tool call that its agent leaves open is closed as failed when its turn ends", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.tool("t", "in_progress");
  const ended = script.answered(1);
  expect(ended[0]).toMatchObject({
    kind: "tool_call",
    tool_call_id: "t",
    status: "failed",
    closed_by: "agentd",
    turn: 1,
  });
  expect(listOpenTools(script.state.tools)).toEqual([]);
});

test("above the limit of open tool calls the oldest is closed", () => {
  const script = new SessionScript({}, { openToolCallsMax: 2 });
  script.up();
  script.prompt("one");
  script.tool("a");
  script.tool("b", "in_progress");
  const entries = script.tool("c");
  expect(entries[0]).toMatchObject({ tool_call_id: "a", status: "failed", closed_by: "agentd" });
  expect(entries[1]).toMatchObject({ tool_call_id: "c", status: "pending" });
  expect(listOpenTools(script.state.tools)).toEqual(["b", "c"]);
});

test("a tool update in a later turn belongs to the turn that created the call", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.tool("t", "in_progress");
  script.answered(1);
  script.prompt("two");
  expect(script.tool("t", "completed")[0]).toMatchObject({ turn: 1, late: true });
  expect(script.tool("u", "completed")[0]).toMatchObject({ turn: 2 });
});

test("an echo of the prompt is dropped, other user messages are kept", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("say hello");
  expect(script.text("say ", "user")).toEqual([]);
  expect(script.text("hello", "user")).toEqual([]);
  expect(script.text("something else", "user")).toHaveLength(1);
});

test("chunks without an id share one until the role changes or a tool call comes between", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  const id = (entries: readonly EntryContent[]) => (entries[0] as { message_id: string }).message_id;
  const first = id(script.text("a"));
  expect(id(script.text("b"))).toBe(first);
  const thought = id(script.text("c", "thought"));
  expect(thought).not.toBe(first);
  script.tool("t", "completed");
  expect(id(script.text("d", "thought"))).not.toBe(thought);
});

test("an agentd that knows earlier messages only from the log reuses none of their ids", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  const id = (entries: readonly EntryContent[]) => (entries[0] as { message_id: string }).message_id;
  const before = id(script.text("a"));
  script.answered(1);
  script.state = {
    ...newSession(script.state),
    seq: script.state.seq,
    turns: 1,
    lastTurn: 1,
    run: { phase: "idle" },
  };
  script.prompt("two");
  expect(id(script.text("b"))).not.toBe(before);
});

test("the agent's Bus tools are checked when its first turn ends, once per run", () => {
  const script = new SessionScript({}, { busTools: true });
  script.up();
  const checks = () => script.effects.filter(({ type }) => type === "check_bus_tools").length;
  for (const turn of [1, 2]) {
    script.prompt("go");
    expect(checks()).toBe(turn - 1);
    script.put({ type: "prompt_done", turn, outcome: { ok: true, value: { stopReason: "end_turn" } } });
    expect(checks()).toBe(1);
  }
  expect(script.put({ type: "bus_tools_missing" })).toMatchObject([{ kind: "diagnostic", what: "bus-tools-not-seen" }]);
  script.put({ type: "agent", event: { type: "exited", exit: { code: 1, signal: null }, stderrTail: "" } });
  expect(script.put({ type: "bus_tools_missing" })).toEqual([]);
});

test("a prompt that the agent cannot take is refused and not logged", () => {
  const script = new SessionScript();
  script.up();
  const png = { uri: "file:///a.png", blob: "AA==", mimeType: "image/png" };
  for (const block of [
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "audio", data: "AA==", mimeType: "audio/wav" },
    { type: "resource", resource: png },
  ]) {
    expect(script.command("agent.session.prompt", { prompt: [block], when_busy: "refuse" })).toEqual([]);
    expect(script.refusals.at(-1)).toMatchObject({ error_code: "UNSUPPORTED" });
  }
  expect(script.refusals.at(-1)?.message).toBe(
    "test cannot be sent this: Block 1: this agent does not take embedded bytes (image/png)",
  );
});

test("a prompt queued before the agent's capabilities are known ends unsent if it cannot take it", () => {
  const script = new SessionScript();
  const block = { type: "image", data: "AA==", mimeType: "image/png" };
  script.command("agent.session.prompt", { prompt: [block], when_busy: "refuse" });
  script.up();
  const failure = { code: "UNSUPPORTED", message: "Block 1: this agent does not take images" } as const;
  expect(script.put({ type: "prompt_done", turn: 1, outcome: { ok: false, failure } })).toMatchObject([
    { kind: "turn", phase: "ended", stop_reason: "failed", sent: false, error: { error_code: "UNSUPPORTED" } },
    { kind: "state", state: "idle" },
  ]);
});
