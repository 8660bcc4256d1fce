// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { samples, text } from "../../agent-client/testing/entry-samples.ts";
import { type EntryContent, entryKinds, type MessageEntry } from "../../agentd/vocabulary/entries.ts";
import { asRead, MappedSession } from "./testing/mapped.ts";

const message = (words: string, other: Partial<EntryContent & MessageEntry> = {}): EntryContent => ({
  ...samples.message,
  content: text(words),
  ...other,
});
const call = (id: string, other: object = {}): EntryContent => ({
  kind: "tool_call",
  tool_call_id: id,
  turn: 1,
  ...other,
});
const ended = (turn: number, reason = "end_turn"): EntryContent => ({
  kind: "turn",
  turn,
  phase: "ended",
  stop_reason: reason,
});
const prompt = (turn: number, ...words: string[]): EntryContent[] =>
  words.map((word, index) => ({
    kind: "message",
    turn,
    role: "user",
    message_id: `t${turn}-u${index + 1}`,
    content: text(word),
  }));
const chunk = (type: string, messageId: string, words: string) => ({
  sessionUpdate: `${type}_chunk`,
  messageId,
  content: text(words),
});

test.each([
  ["message", "agent_message_chunk"],
  ["tool_call", "tool_call"],
  ["plan", "plan"],
  ["commands", "available_commands_update"],
  ["info", "session_info_update"],
  ["usage", "usage_update"],
  ["notice", "notice"],
  ["compaction", "compaction_update"],
  ["permission", "tool_call"],
  ["command", undefined],
  ["reply", undefined],
  ["state", undefined],
  ["turn", undefined],
  ["elicitation", undefined],
  ["file", undefined],
  ["terminal", undefined],
  ["extension", undefined],
  ["diagnostic", undefined],
  // Its mode is none of its choices.
  ["options", undefined],
] as const)("an entry of the kind %s becomes %s", (kind, type) => {
  const updates = new MappedSession().live(samples[kind]);
  expect(updates).toEqual(type === undefined ? [] : [expect.objectContaining({ sessionUpdate: type })]);
});

test("the kinds above are all", () => {
  expect(entryKinds).toHaveLength(19);
});

test("an entry of a kind that a newer agentd has is not told", () => {
  const unknown = { kind: "hologram", turn: 1 } as unknown as EntryContent;
  expect(new MappedSession().live(unknown)).toEqual([]);
  expect(new MappedSession().past(unknown)).toEqual([]);
});

test("a client that offers neither notices nor compaction is told of none", () => {
  const session = new MappedSession({ notices: false, compaction: false });
  expect(session.live(samples.notice, samples.compaction)).toEqual([]);
});

test("the prompt of the editor's own turn is not echoed, and that of another is told before its turn", () => {
  const session = new MappedSession();
  expect(session.own({ kind: "turn", turn: 1, phase: "started" }, ...prompt(1, "mine"))).toEqual([]);
  expect(session.live({ kind: "turn", turn: 2, phase: "queued" }, ...prompt(2, "one", "two"))).toEqual([]);
  expect(session.own(message("working"), ended(1))).toEqual([chunk("agent_message", "m1", "working")]);
  expect(session.live({ kind: "turn", turn: 2, phase: "started" })).toEqual([
    chunk("user_message", "t2-u1", "one"),
    chunk("user_message", "t2-u1", "two"),
  ]);
  expect(session.live({ kind: "turn", turn: 3, phase: "started" }, ...prompt(3, "three"))).toEqual([
    chunk("user_message", "t3-u1", "three"),
  ]);
});

test("a queued prompt that is cancelled is not told, and one that the running turn takes in is", () => {
  const session = new MappedSession();
  session.live({ kind: "turn", turn: 2, phase: "queued" }, ...prompt(2, "no"));
  session.live({ kind: "turn", turn: 3, phase: "queued" }, ...prompt(3, "and this"));
  expect(session.live(ended(2, "cancelled"))).toEqual([]);
  const steered = { kind: "turn", turn: 3, phase: "ended", stop_reason: "steered", into: 1 } as const;
  expect(session.live(steered)).toEqual([chunk("user_message", "t3-u1", "and this")]);
});

test("what the agent itself writes as the user's message is told in the editor's own turn, too", () => {
  const said = message("as you said", { role: "user", message_id: "u" });
  expect(new MappedSession().own(said)).toEqual([chunk("user_message", "u", "as you said")]);
});

test("content that ACP v1 does not have is not told", () => {
  const session = new MappedSession();
  expect(session.live(message("", { content: { type: "hologram", data: "" } }))).toEqual([]);
  expect(session.live(message("", { content: { type: "image" } }))).toEqual([]);
  const content = [{ type: "session" }, { type: "content" }, { type: "content", content: text("kept") }];
  expect(session.live(call("c", { title: "T", content }))).toMatchObject([{ content: [content[2]] }]);
  expect(session.live(call("c", { content: [{ type: "session" }] }))).toEqual([]);
  expect(session.live(call("c", { content: [] }))).toMatchObject([{ content: [] }]);
});

test("unknown kinds and statuses are clamped or left out, and null is left out", () => {
  const session = new MappedSession();
  const odd = {
    tool_kind: "teleport",
    status: "pondering",
    name: null,
    content: null,
    locations: null,
    raw_input: null,
  };
  expect(session.live(call("c", { title: null, ...odd }))).toEqual([
    { sessionUpdate: "tool_call", toolCallId: "c", title: "Tool call", kind: "other", status: "pending" },
  ]);
  expect(session.live(call("c", { status: "pondering" }))).toEqual([]);
  expect(session.live(call("c", { status: "cancelled" }))).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" },
  ]);
});

test("a tool call always has a title: of its name if need be", () => {
  const session = new MappedSession();
  expect(session.live(call("a", { name: "grep" }), call("b", { title: " ", name: "ls" }))).toMatchObject([
    { toolCallId: "a", title: "grep", name: "grep" },
    { toolCallId: "b", title: "ls" },
  ]);
  expect(session.live(call("a", { title: " " }))).toEqual([]);
});

test("locations outside the workspace are not told, and relative ones become absolute", () => {
  const session = new MappedSession();
  const at = (...paths: string[]) => call("c", { title: "T", locations: paths.map((path) => ({ path })) });
  const told = (content: EntryContent) => (session.live(content)[0] as { locations?: object[] }).locations;
  expect(told(at("/etc/passwd", "../x", "/work/../etc/passwd", "/workshop/a"))).toBeUndefined();
  expect(told(at("/work/a", "b/c", "/more/d", "/etc/passwd", "/work"))).toEqual([
    { path: "/work/a" },
    { path: "/work/b/c" },
    { path: "/more/d" },
    { path: "/work" },
  ]);
  expect(told(at())).toEqual([]);
  const line = call("c", {
    locations: [
      { path: "/work/a", line: 3, _meta: { x: 1 } },
      { path: "/work/b", line: -1 },
    ],
  });
  expect(told(line)).toEqual([{ path: "/work/a", line: 3, _meta: { x: 1 } }, { path: "/work/b" }]);
});

test("a diff is told whole, wherever its file is", () => {
  const diff = { type: "diff", path: "/etc/hosts", oldText: "a\n".repeat(50_000), newText: "b\n".repeat(50_000) };
  expect(new MappedSession().live(call("c", { title: "Edit", content: [diff] }))).toMatchObject([{ content: [diff] }]);
});

test("the growth of an output is told as the whole output, or with a note if its beginning is not known", () => {
  const content = [{ type: "content", content: text("one\n") }];
  const grow = (words: string) =>
    call("c", { grow: [{ path: ["content", 0, "content", "text"], at: 4, text: words }] });
  const session = new MappedSession();
  session.live(call("c", { title: "Run", status: "in_progress", content }));
  expect(session.live(grow("two\n"), grow("three\n"))).toMatchObject([
    { content: [{ content: text("one\ntwo\n") }] },
    { content: [{ content: text("one\ntwo\nthree\n") }] },
  ]);
  expect(new MappedSession().live(grow("two\n"))).toMatchObject([
    { sessionUpdate: "tool_call", content: [{ content: text("… 4 characters before …\ntwo\n") }] },
  ]);
});

test("a terminal of agentd's is told as text, also when it ends, and one of the editor's as a terminal", () => {
  const started = { ...samples.terminal, args: ["-l", "src"] };
  const exited = {
    kind: "terminal",
    terminal: "term1",
    phase: "exited",
    exit_code: 0,
    tail: "a ``` b\n",
    truncated: false,
  } as const;
  const shows = call("c", { title: "Run", content: [{ type: "terminal", terminalId: "term1" }] });
  const session = new MappedSession();
  expect(session.live(started, shows)).toMatchObject([
    { content: [{ type: "content", content: text("```\n$ ls -l src\n```") }] },
  ]);
  expect(session.live(exited)).toEqual([
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      content: [{ type: "content", content: text("````\n$ ls -l src\na ``` b\n````") }],
    },
  ]);
  const open = new Map([["term1", "e7"]]);
  const inEditor = new MappedSession({ editorTerminal: (terminal) => open.get(terminal) });
  const shown = { content: [{ type: "terminal", terminalId: "e7" }] };
  expect(inEditor.live(started, shows)).toMatchObject([shown]);
  // The editor shows it further when it was released.
  open.clear();
  expect(inEditor.live(exited, shows)).toMatchObject([shown]);
});

test("a permission makes its tool call known, unless it is known or of a sub-agent's session", () => {
  const session = new MappedSession();
  const known = { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run it", status: "pending" };
  expect(session.live(samples.permission)).toEqual([known]);
  expect(session.live(samples.permission, { ...samples.permission, phase: "resolved" })).toEqual([]);
  expect(session.live(call("t1", { title: "Run", tool_kind: "execute", status: "in_progress" }))).toMatchObject([
    { sessionUpdate: "tool_call_update" },
  ]);
  expect(new MappedSession().live({ ...samples.permission, agent_session: "other" })).toEqual([]);
});

test("the tool calls that a turn leaves open are closed once, with it", () => {
  const session = new MappedSession();
  session.live(call("a", { title: "A", status: "in_progress" }), call("b", { title: "B", status: "completed" }));
  session.live(call("other", { title: "O", status: "in_progress", turn: 2 }));
  const closed = { sessionUpdate: "tool_call_update", toolCallId: "a", status: "failed" };
  expect(asRead(session.mapper.closeOpenCalls(1))).toEqual([closed]);
  expect(session.live(ended(1, "cancelled"))).toEqual([]);
  expect(session.live(ended(2))).toMatchObject([{ toolCallId: "other", status: "failed" }]);
});

test("what arrives after its turn has ended is told", () => {
  const session = new MappedSession();
  session.live(call("c", { title: "T", status: "in_progress" }), ended(1));
  expect(session.live(message("late", { late: true }), call("c", { status: "completed", late: true }))).toMatchObject([
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" },
  ]);
});

test("the parent of a sub-agent's work is told to a client that wants ids, next to the agent's own _meta", () => {
  const said = message("x", { parent_tool_call_id: "p", _meta: { vendor: 1 } });
  const made = call("c", { title: "T", parent_tool_call_id: "p" });
  expect(new MappedSession().live(said, made).map((update) => (update as { _meta?: object })._meta)).toEqual([
    { vendor: 1 },
    undefined,
  ]);
  expect(new MappedSession({ showsIds: true }).live(said, made)).toMatchObject([
    { _meta: { vendor: 1, agentd: { parentToolCallId: "p" } } },
    { _meta: { agentd: { parentToolCallId: "p" } } },
  ]);
});

test("a plan has known priorities and statuses, and no empty step", () => {
  const entries = [
    { content: " a ", priority: "urgent", status: "done" },
    { content: "", priority: "high", status: "completed", _meta: { x: 1 } },
    { content: "b" },
  ];
  const plan = { ...samples.plan, entries } as unknown as EntryContent;
  expect(new MappedSession().live(plan)).toEqual([
    {
      sessionUpdate: "plan",
      entries: [
        { content: "a", priority: "medium", status: "pending" },
        { content: "(untitled step)", priority: "high", status: "completed", _meta: { x: 1 } },
        { content: "b", priority: "medium", status: "pending" },
      ],
    },
  ]);
});

test("a usage is told only with both counts", () => {
  const usage = (used: unknown, size: unknown) => ({ kind: "usage", used, size }) as EntryContent;
  const session = new MappedSession();
  expect(session.live(usage(1200, 200_000))).toEqual([{ sessionUpdate: "usage_update", used: 1200, size: 200_000 }]);
  expect(session.live(usage(-1, 2), usage(null, 2), usage(1.5, 2), usage(1, undefined))).toEqual([]);
});

test("the session's name goes before the agent's title", () => {
  const info = (members: object): EntryContent => ({ kind: "info", ...members });
  const session = new MappedSession();
  const titles = (...contents: EntryContent[]) =>
    session.live(...contents).map((update) => (update as { title?: unknown }).title);
  expect(titles(info({ title: "by the agent" }), info({ name: "by people" }))).toEqual(["by the agent", "by people"]);
  expect(titles(info({ title: "newer" }))).toEqual([]);
  expect(titles(info({ name: null }), info({ title: null }))).toEqual(["newer", null]);
  expect(session.live(info({ updated_at: "2026-12-01T10:00:00Z" }))).toEqual([
    { sessionUpdate: "session_info_update", updatedAt: "2026-12-01T10:00:00Z" },
  ]);
});

test("after a reply the editor is told the commands, the title and the usage", () => {
  const { mapper } = new MappedSession();
  const { commands } = samples.commands;
  const usage = { used: 1, size: 2 };
  expect(asRead(mapper.current({ title: "T", commands, usage }))).toEqual([
    { sessionUpdate: "available_commands_update", availableCommands: commands },
    { sessionUpdate: "session_info_update", title: "T" },
    { sessionUpdate: "usage_update", used: 1, size: 2 },
  ]);
  expect(mapper.current({ commands: [], usage: null })).toEqual([]);
});

test("an entry that is too long to be read is named", () => {
  const { mapper } = new MappedSession();
  const cut = (kind: "message" | "state") => ({ seq: 7, kind, bytes: 2_000_000, truncated: true }) as const;
  expect(asRead(mapper.live(cut("message"), { isOwnPrompt: true }))).toEqual([
    {
      sessionUpdate: "session_info_update",
      _meta: { agentd: { truncated: { seq: 7, kind: "message", bytes: 2_000_000 } } },
    },
  ]);
  expect(mapper.replay(cut("state"), { isRunningTurn: false })).toEqual([]);
});
