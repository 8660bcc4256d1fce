// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, type EntryContent, entryKinds } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { logged, samples, text } from "../testing/entry-samples.ts";
import { findDiffs, findOutputText } from "./content.ts";
import type { Row } from "./rows.ts";
import { applyEntry, newView, type SessionView, viewOf } from "./session-view.ts";

const session = "aaaaaaaaaaaa";
const fold = (contents: readonly EntryContent[], view = newView(session)): SessionView =>
  logged(contents, view.seq + 1).reduce(applyEntry, view);
const rowsOf = (view: SessionView): Row[] => view.turns.flatMap(({ rows }) => rows);
const rowOf = <K extends Row["kind"]>(view: SessionView, kind: K) =>
  rowsOf(view).findLast((row) => row.kind === kind) as Extract<Row, { kind: K }>;
const chunk = (words: string, id = "m1", role: "agent" | "thought" = "agent"): EntryContent => ({
  ...samples.message,
  role,
  message_id: id,
  content: text(words),
});
const output = (words: string) => [{ type: "content", content: text(words) }];
const started: EntryContent = { kind: "turn", turn: 1, phase: "started" };

test("the session's name is the last one that it was given, and none after it was taken away", () => {
  const begun: EntryContent = { kind: "state", state: "starting", agent: "demo", cwd: "/work", name: "old" };
  const renamed: EntryContent = { kind: "info", name: "new" };
  expect(fold([begun, renamed])).toMatchObject({ name: "new", agent: "demo" });
  expect(fold([begun, renamed, { kind: "info", title: "A title" }])).toMatchObject({ name: "new", title: "A title" });
  expect(fold([begun, renamed, { kind: "info", name: null }]).name).toBeUndefined();
});

test("a turn is its prompt, thoughts, messages and tool calls, each joined from its entries, and how it ended", () => {
  const diff = { type: "diff", path: "/a", oldText: "1", newText: "2" };
  const view = fold([
    { kind: "state", state: "starting", agent: "demo", cwd: "/work", name: "fix" },
    { kind: "state", state: "idle", agent_session_id: "its-own", agent_info: { name: "demo", version: "1" } },
    { kind: "command", verb: "agent.session.prompt", by: "mix-a", origin: "local", args: {} },
    started,
    { kind: "message", turn: 1, role: "user", message_id: "t1-u1", content: text("fix it") },
    { kind: "state", state: "running" },
    { kind: "reply", verb: "agent.session.prompt", command_seq: 3, rc: 0, body: {} },
    chunk("let me ", "m2", "thought"),
    chunk("think", "m2", "thought"),
    { ...samples.tool_call, content: output("one") },
    chunk("I "),
    { ...samples.usage },
    {
      kind: "tool_call",
      turn: 1,
      tool_call_id: "t1",
      grow: [{ path: ["content", 0, "content", "text"], at: 3, text: " two" }],
    },
    chunk("will"),
    {
      kind: "tool_call",
      turn: 1,
      tool_call_id: "t2",
      title: "Edit",
      tool_kind: "edit",
      status: "completed",
      content: [diff],
    },
    chunk(" go on"),
    { kind: "tool_call", turn: 1, tool_call_id: "t1", status: "failed", closed_by: "agentd" },
    { kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" },
    { kind: "state", state: "idle" },
  ]);
  expect(view).toMatchObject({ agent: "demo", cwd: "/work", name: "fix", state: "idle", agent_session_id: "its-own" });
  expect(view).toMatchObject({ seq: 19, log: "log", usage: { used: 10, size: 100 } });
  const [before, turn] = view.turns;
  expect(before?.rows.map(({ kind }) => kind)).toEqual(["entry", "entry", "command"]);
  expect(before?.rows[2]).toMatchObject({ reply: { rc: 0 }, seq: 3, last: 7 });
  expect(turn).toMatchObject({ turn: 1, phase: "ended", stop_reason: "end_turn", at: { started: expect.any(String) } });
  const shown = turn?.rows.filter(({ kind }) => kind !== "entry");
  expect(shown).toMatchObject([
    { kind: "message", role: "user", blocks: [text("fix it")] },
    { kind: "message", role: "thought", blocks: [text("let me think")] },
    { kind: "tool_call", call: { title: "Read", status: "failed" }, closed_by: "agentd" },
    // The update of a tool call that stands above does not divide the message, and a new call does.
    { kind: "message", role: "agent", blocks: [text("I will")] },
    { kind: "tool_call", call: { title: "Edit" } },
    { kind: "message", role: "agent", blocks: [text(" go on")] },
  ]);
  const [read, edit] = rowsOf(view).flatMap((row) => (row.kind === "tool_call" ? [row.call] : []));
  expect(findOutputText(read ?? {})).toBe("one two");
  expect(findDiffs(edit ?? {})).toEqual([diff]);
});

test.each(entryKinds)("an entry of the kind %s is in the view", (kind) => {
  const before = fold([started, chunk("so far")]);
  const view = fold([samples[kind]], before);
  expect({ ...view, seq: before.seq }).not.toEqual(before);
});

test("an entry of an unknown kind, and one that is too long for a page, are kept as they came", () => {
  const unknown = { kind: "hologram", beam: [1, 2] } as unknown as EntryContent;
  const view = applyEntry(fold([unknown]), { seq: 2, kind: "message", truncated: true, bytes: 5_000_000 });
  expect(rowsOf(view)).toMatchObject([
    { kind: "entry", entry: { kind: "hologram", beam: [1, 2] } },
    { kind: "entry", at: undefined, entry: { truncated: true, bytes: 5_000_000 } },
  ]);
});

test("an entry that was applied before changes nothing, and one of another log begins anew", () => {
  const view = fold([started, chunk("old")]);
  for (const again of logged([started, chunk("old")])) expect(applyEntry(view, again)).toBe(view);
  const [other] = logged([{ kind: "state", state: "idle" }], 2, "other");
  expect(applyEntry(view, other as Entry)).toMatchObject({ log: "other", seq: 2, state: "idle", turns: [{ turn: 0 }] });
});

test("what an entry does not concern stays the same object", () => {
  const before = fold([samples.options, samples.plan, samples.permission, started, samples.tool_call]);
  const after = fold([chunk("more")], before);
  for (const part of ["options", "plan", "questions"] as const) expect(after[part]).toBe(before[part]);
  expect(rowOf(after, "tool_call")).toBe(rowOf(before, "tool_call"));
  expect(after.turns).not.toBe(before.turns);
});

test("a message is the same text however it was divided, and a whole one replaces it", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (parts) => {
      const [row, ...others] = rowsOf(fold(parts.map((part) => chunk(part))));
      expect(others).toEqual([]);
      expect(row).toMatchObject({ blocks: [text(parts.join(""))] });
    }),
  );
  const image = { type: "image", data: "…" };
  const view = fold([chunk("a"), { ...samples.message, content: image }, chunk("b"), chunk("c")]);
  expect(rowsOf(view)).toMatchObject([{ blocks: [text("a"), image, text("bc")] }]);
  const { append: _, ...whole } = samples.message;
  expect(rowsOf(fold([whole], view))).toMatchObject([{ blocks: [text("hello")] }]);
});

test("a tool call that ended late counts, and an announcement under an old id is another call", () => {
  const closed: EntryContent = {
    kind: "tool_call",
    tool_call_id: "t1",
    status: "failed",
    closed_by: "agentd",
    turn: 1,
  };
  const late: EntryContent = { kind: "tool_call", tool_call_id: "t1", status: "completed", turn: 1, late: true };
  const view = fold([started, samples.tool_call, closed, late]);
  expect(rowOf(view, "tool_call")).toMatchObject({ call: { status: "completed" }, late: false });
  expect(rowOf(view, "tool_call")).not.toHaveProperty("closed_by");
  const again = fold([{ ...samples.tool_call, title: "Another", turn: 2 }], view);
  expect(rowsOf(again).map((row) => row.kind === "tool_call" && row.call.title)).toEqual(["Read", "Another"]);
});

test("an output whose beginning was not seen begins with a note", () => {
  const grow = [{ path: ["content", 0, "content", "text"], at: 900, text: "tail" }];
  const view = fold([{ kind: "tool_call", tool_call_id: "t9", grow }]);
  expect(findOutputText(rowOf(view, "tool_call").call)).toBe("… 900 characters before …\ntail");
});

test("a question is open until it is resolved, and its row tells who answered what", () => {
  const request = samples.permission.request;
  const asked = fold([started, samples.tool_call, samples.permission]);
  expect(asked.questions.current).toMatchObject({ request });
  const target = asked.questions.targetOf(request);
  const changed = fold(
    [
      { kind: "tool_call", tool_call_id: "t1", title: "rm -rf", turn: 1 },
      { kind: "permission", request, phase: "changed", changed: ["title"] },
    ],
    asked,
  );
  expect(changed.questions.findByTarget(target)).toBeUndefined();
  expect(rowOf(changed, "question").asked).toMatchObject({ tool_call: { title: "rm -rf" }, changed: ["title"] });
  const answered = fold(
    [
      { kind: "permission", request, phase: "resolved", outcome: "selected", option: "no", by: "ws-anna" },
      { kind: "permission", request, phase: "sent", sent: "unknown" },
    ],
    changed,
  );
  expect(answered.questions.all()).toEqual([]);
  expect(rowOf(answered, "question")).toMatchObject({
    asked: { tool_call: { title: "rm -rf" } },
    resolved: { option: "no", by: "ws-anna" },
    sent: "unknown",
  });
  expect(asked.questions.all()).toHaveLength(1);
});

test("turns that wait are the queue, with their prompts, while the running turn goes on", () => {
  const prompt: EntryContent = { ...samples.message, role: "user", message_id: "t2-u1", turn: 2 };
  const view = fold([started, { kind: "turn", turn: 2, phase: "queued" }, prompt, chunk("on"), samples.notice]);
  expect(view.turns).toMatchObject([
    { turn: 1, phase: "started", rows: [{ kind: "message" }, { kind: "entry" }] },
    { turn: 2, phase: "queued", rows: [{ role: "user" }] },
  ]);
});

test("terminals, writes and compactions are one row each", () => {
  const view = fold([
    samples.terminal,
    { kind: "terminal", terminal: "term1", phase: "exited", exit_code: 1, signal: null, tail: "out", truncated: true },
    samples.file,
    { kind: "file", op: "write", path: "/a", phase: "done", bytes: 3, intended: 3 },
    samples.compaction,
    { kind: "compaction", compaction_id: "c1", append: text("short") },
    { kind: "compaction", compaction_id: "c1", status: "completed", append: text("er") },
  ]);
  expect(rowsOf(view)).toMatchObject([
    { terminal: { command: "ls", exit_code: 1, tail: "out" } },
    { file: { phase: "done" }, seq: 3, last: 4 },
    { compaction: { status: "completed", summary: [text("shorter")] } },
  ]);
});

test("the oldest rows are dropped beyond the bounds, and never what is open", () => {
  const bounded = newView(session, { rowsMax: 100 });
  const long = Array.from({ length: 5_000 }, (_, index) => chunk("x", `m${index}`));
  const view = fold([started, samples.permission, ...long], bounded);
  expect(view.size.rows).toBeLessThanOrEqual(100);
  expect(view.dropped + view.size.rows).toBe(5_001);
  expect(rowsOf(view)).toHaveLength(view.size.rows);
  expect(rowOf(view, "message")).toMatchObject({ message_id: "m4999" });
  expect(view.turns).toMatchObject([{ turn: 1, phase: "started" }]);
  expect(view.questions.all()).toHaveLength(1);

  const heavy = fold(
    Array.from({ length: 50 }, (_, index) => chunk("y".repeat(1_000), `h${index}`)),
    newView(session, { unitsMax: 10_000 }),
  );
  expect(heavy.size.units).toBeLessThanOrEqual(10_000);
  expect(heavy.size.units).toBe(rowsOf(heavy).reduce((sum, { units }) => sum + units, 0));
});

const snapshot: SessionSnapshot = {
  session,
  log: "log",
  cursor: `log/${session}/20`,
  agent: "demo",
  cwd: "/work",
  state: "waiting",
  turns: 3,
  created_at: "",
  updated_at: "",
  last_seq: 20,
  additional_dirs: [],
  agent_info: null,
  protocol_version: 1,
  capabilities: {},
  agent_session_id: "its-own",
  children: [],
  commands: [],
  plan: [],
  running: { turn: 2, state: "running" },
  queued: [{ turn: 3 }],
  options: samples.options.options,
  requests: [
    {
      kind: "permission",
      request: `${session}-1`,
      session,
      asked_at: "2026-12-01T10:00:00.000Z",
      expires_at: null,
      tool_call: { tool_call_id: "t1", title: "Run it" },
      options: [],
    },
  ],
  usage: { used: 1, size: 2 },
  usage_total: { turns: 1, input_tokens: 5 },
};

test("a view begins with a snapshot, and older entries give it rows without undoing what the snapshot told", () => {
  const view = viewOf(snapshot, {}, 17);
  expect(view).toMatchObject({ state: "waiting", agent: "demo", seq: 17, options: [{ value: "plan" }] });
  expect(view.turns).toMatchObject([
    { turn: 2, phase: "started" },
    { turn: 3, phase: "queued" },
  ]);
  const counted: EntryContent = { kind: "turn", turn: 1, phase: "ended", usage: { input_tokens: 5 } };
  const older = fold([counted, chunk("tail"), { ...samples.options, options: [] }], view);
  expect(older).toMatchObject({
    usage_total: { turns: 1, input_tokens: 5 },
    seq: 20,
    state: "waiting",
    options: [{ value: "plan" }],
  });
  expect(older.questions.all()).toHaveLength(1);
  expect(rowOf(older, "message")).toMatchObject({ blocks: [text("tail")] });
  const newer = fold(
    [
      { kind: "permission", request: `${session}-1`, phase: "resolved", outcome: "cancelled" },
      { kind: "turn", turn: 2, phase: "ended", usage: { input_tokens: 2 } },
      { kind: "state", state: "idle" },
    ],
    older,
  );
  expect(newer).toMatchObject({ state: "idle", usage_total: { turns: 2, input_tokens: 7 } });
  expect(newer.questions.all()).toEqual([]);
});

test("the row of a tool call has the last title that is known, also one that only a question tells", () => {
  const begun: EntryContent = { ...samples.tool_call, title: "Terminal" };
  const renamed: EntryContent = { kind: "tool_call", turn: 1, tool_call_id: "t1", title: "`ls`" };
  expect(rowOf(fold([started, begun, renamed]), "tool_call").call).toMatchObject({ title: "`ls`", tool_kind: "read" });
  const asked = fold([started, begun, samples.permission]);
  expect(rowOf(asked, "tool_call").call).toMatchObject({ title: "Run it", tool_kind: "read" });
  expect(rowsOf(asked).map(({ kind }) => kind)).toEqual(["tool_call", "question"]);
  const before: EntryContent = { ...samples.permission, said_before: ["title"] };
  expect(rowOf(fold([started, begun, before]), "tool_call").call.title).toBe("Terminal");
  const foreign: EntryContent = { ...samples.permission, agent_session: "other" };
  expect(rowOf(fold([started, begun, foreign]), "tool_call").call.title).toBe("Terminal");
});

test("the rows of a sub-agent name the tool call that started it", () => {
  const parent = { parent_tool_call_id: "task" };
  const view = fold([
    started,
    { ...samples.tool_call, ...parent },
    { kind: "tool_call", turn: 1, tool_call_id: "t1", status: "completed" },
    { ...samples.message, ...parent },
    chunk(" there"),
  ]);
  expect(rowOf(view, "tool_call").call).toMatchObject(parent);
  expect(rowsOf(view).find(({ kind }) => kind === "message")).toMatchObject(parent);
  expect(rowOf(view, "message")).toMatchObject({ blocks: [text(" there")] });
  expect(rowOf(view, "message")).not.toHaveProperty("parent_tool_call_id");
});
