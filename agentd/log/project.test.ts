// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry, EntryContent, FileEntry, TerminalEntry } from "../vocabulary/index.ts";
import { newRow, project, type SessionRow } from "./project.ts";
import { alpha, everything, message, temporaryLog } from "./testing/temporary-log.ts";

const at = "2030-01-01T00:00:00.000Z";

function after(...entries: EntryContent[]): SessionRow {
  return project(newRow(alpha, at), at, entries);
}

test(
  "the stored row is the projection of the entries, however they were divided into commits",
  { tags: "slow" },
  () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyEntry(), { maxLength: 5 }), { maxLength: 12 }), (commits) => {
        const log = temporaryLog();
        let seq = 0;
        for (const entries of commits) seq = log.append([{ session: alpha, expectSeq: seq, entries }])[0]!.seq;
        const stored = log.sessions.row(alpha);
        const logged = everything(log, alpha) as unknown as Entry[];
        const rebuilt = logged.reduce(
          (row, entry) => project(row, entry.at, [entry]),
          newRow(alpha, stored?.created_at ?? ""),
        );
        expect(rebuilt).toEqual(stored ?? newRow(alpha, ""));
        expect(stored?.last_seq ?? 0).toBe(logged.length);
        log.close();
      }),
      { numRuns: 60 },
    );
  },
);

test("a projection does not change the row before, and keeps the objects that no entry changed", () => {
  const row = Object.freeze(after({ kind: "state", state: "running", agent: "demo", cwd: "/w" }));
  const text = JSON.stringify(row);
  const next = project(row, "2030-01-01T00:00:01.000Z", [message("hello"), message("there")]);
  expect(next).toEqual({ ...row, last_seq: 3, updated_at: "2030-01-01T00:00:01.000Z" });
  expect(next.latest).toBe(row.latest);
  expect(next.open).toBe(row.open);
  expect(JSON.stringify(row)).toBe(text);
  expect(project(row, "2031-01-01T00:00:00.000Z", [])).toBe(row);
});

test("members that a state omits keep their values, except the reason", () => {
  const row = after(
    { kind: "state", state: "starting", agent: "demo", name: "n", cwd: "/w", parent: "p" },
    { kind: "state", state: "idle", agent_session_id: "s-1" },
    { kind: "state", state: "running", reason: "draining" },
    { kind: "state", state: "lost" },
  );
  expect(row).toMatchObject({
    state: "lost",
    reason: null,
    agent: "demo",
    name: "n",
    cwd: "/w",
    parent: "p",
    agent_session_id: "s-1",
  });
  expect(row.latest).toMatchObject({ state: 4, life: 1, up: 2 });
});

test("a turn is open from queued to ended, and answered once the agent said something in it", () => {
  const queued = after({ kind: "turn", turn: 1, phase: "queued" }, { kind: "turn", turn: 2, phase: "queued" });
  expect(queued.open.turns).toEqual([
    { turn: 1, phase: "queued", seq: 1 },
    { turn: 2, phase: "queued", seq: 2 },
  ]);
  const user: EntryContent = {
    kind: "message",
    role: "user",
    message_id: "u",
    content: { type: "text", text: "do" },
    turn: 1,
  };
  const started = project(queued, at, [{ kind: "turn", turn: 1, phase: "started" }, user]);
  expect(started.open.turns.find(({ turn }) => turn === 1)).toEqual({ turn: 1, phase: "started", seq: 3 });
  const answered = project(started, at, [message("ok", { turn: 1 }), message("more", { turn: 1 })]);
  expect(answered.open.turns.find(({ turn }) => turn === 1)).toEqual({
    turn: 1,
    phase: "started",
    seq: 3,
    answered: true,
  });
  const ended = project(answered, at, [{ kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" }]);
  expect(ended.open.turns.map(({ turn }) => turn)).toEqual([2]);
  expect(ended.turns).toBe(2);
});

test("a request is open until the agent has its answer or can no longer get one", () => {
  const request = (
    n: number,
    phase: "requested" | "resolved" | "sent" | "unsent",
    members: object = {},
  ): EntryContent => ({
    kind: "permission",
    request: `${alpha}-${n}`,
    phase,
    ...members,
  });
  const asked = after(request(1, "requested"), request(2, "requested"), request(10, "requested"));
  expect(asked.open.requests.map(({ phase, seq }) => [phase, seq])).toEqual([
    ["requested", 1],
    ["requested", 2],
    ["requested", 10 - 7],
  ]);
  expect(asked.requests).toBe(10);
  const answered = project(asked, at, [
    request(1, "resolved", { by: "mix-1" }),
    request(2, "resolved", { via: "restart" }),
  ]);
  expect(answered.open.requests).toEqual([
    { request: `${alpha}-10`, phase: "requested", seq: 3 },
    { request: `${alpha}-1`, phase: "resolved", seq: 4 },
  ]);
  expect(project(answered, at, [request(1, "sent")]).open.requests).toHaveLength(1);
  expect(project(answered, at, [request(1, "unsent")]).open.requests).toHaveLength(1);
});

test("a request that the end of a turn resolves stays open until the answer is sent or the session has ended", () => {
  const asked: EntryContent = { kind: "permission", request: `${alpha}-1`, phase: "requested" };
  const resolved: EntryContent = { ...asked, phase: "resolved", outcome: "cancelled", via: "end" };
  const closing = after({ kind: "state", state: "running", agent: "demo" }, asked, resolved);
  expect(closing.open.requests).toEqual([{ request: `${alpha}-1`, phase: "resolved", seq: 3 }]);
  expect(project(closing, at, [{ ...asked, phase: "sent" }]).open.requests).toEqual([]);
  const closed = project(closing, at, [{ kind: "state", state: "closed" }]);
  expect(closed.open.requests).toEqual([]);
  expect(project(closed, at, [asked, resolved]).open.requests).toEqual([]);
});

test("a write is open until it ends, a terminal until it has exited and been released, and empty lists are absent", () => {
  const terminal = (name: string, phase: TerminalEntry["phase"]): EntryContent => ({
    kind: "terminal",
    turn: 1,
    terminal: name,
    phase,
  });
  const file = (phase: FileEntry["phase"], more: object = {}): EntryContent => ({
    kind: "file",
    op: "write",
    path: "/w/a",
    phase,
    ...more,
  });
  const row = after(
    file("intended"),
    file("intended"),
    file("refused"),
    terminal("a", "started"),
    terminal("b", "started"),
  );
  expect(row.open).toMatchObject({
    writes: [{ seq: 1 }, { seq: 2 }],
    terminals: [
      { terminal: "a", turn: 1 },
      { terminal: "b", turn: 1 },
    ],
  });
  const half = project(row, at, [file("done", { intended: 1 }), terminal("a", "exited"), terminal("b", "released")]);
  expect(half.open.writes).toEqual([{ seq: 2 }]);
  expect(half.open.terminals).toEqual([
    { terminal: "a", turn: 1, exited: true },
    { terminal: "b", turn: 1, released: true },
  ]);
  const none = project(half, at, [
    file("refused", { intended: 2 }),
    terminal("a", "released"),
    terminal("b", "killed"),
    terminal("b", "exited"),
    terminal("c", "failed"),
  ]);
  expect(Object.keys(none.open)).toEqual(Object.keys(newRow(alpha, at).open));
});

test("a tool call is open from its first update to a final status, and a later update does not reopen it", () => {
  const tool = (id: string, members: object): EntryContent => ({
    kind: "tool_call",
    tool_call_id: id,
    turn: 1,
    ...members,
  });
  const row = after(
    tool("a", { title: "Read" }),
    tool("b", { title: "Run", status: "pending" }),
    tool("c", { title: "x", status: "completed" }),
  );
  expect(row.open.tools).toEqual([
    { tool_call_id: "a", turn: 1 },
    { tool_call_id: "b", turn: 1 },
  ]);
  const later = project(row, at, [
    tool("a", { status: "failed" }),
    tool("b", { status: "in_progress" }),
    tool("a", { raw_output: 1 }),
  ]);
  expect(later.open.tools.map(({ tool_call_id }) => tool_call_id)).toEqual(["b"]);
});

test("a command is open until its reply, and an option is chosen only by a reply with rc 0", () => {
  const set = (option: string, value: string | boolean): EntryContent => ({
    kind: "command",
    verb: "agent.session.set_config",
    by: null,
    origin: "local",
    args: { session: alpha, option, value },
  });
  const reply = (command_seq: number, rc: number): EntryContent => ({
    kind: "reply",
    verb: "agent.session.set_config",
    command_seq,
    rc,
    body: {},
  });
  const asked = after(set("mode", "plan"), set("model", "big"), set("__proto__", true));
  expect(asked.open.commands.map(({ seq, sets }) => [seq, sets?.option])).toEqual([
    [1, "mode"],
    [2, "model"],
    [3, "__proto__"],
  ]);
  const replied = project(asked, at, [reply(1, 0), reply(2, 10), reply(3, 0), reply(99, 0)]);
  expect(replied.open.commands).toEqual([]);
  expect(Object.entries(replied.latest.chosen)).toEqual([
    ["mode", "plan"],
    ["__proto__", true],
  ]);
});

test("members that an info omits stay, and null removes them", () => {
  const row = after(
    { kind: "info", title: "one", updated_at: at },
    { kind: "info", title: "two" },
    { kind: "info", updated_at: null },
  );
  expect(row.latest.info).toEqual({ title: "two", updated_at: null });
});

function anyEntry(): fc.Arbitrary<EntryContent> {
  const turn = fc.integer({ min: 1, max: 4 });
  const optionalTurn = fc.option(turn, { nil: undefined });
  const id = fc.constantFrom("a", "b", "c");
  const optional = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const state = fc.constantFrom("starting", "idle", "running", "waiting", "closed", "lost") as fc.Arbitrary<"idle">;
  const phase = <P extends string>(...phases: readonly P[]) => fc.constantFrom(...phases);
  return fc.oneof(
    fc.record({
      kind: fc.constant("state" as const),
      state,
      reason: optional("stop"),
      agent: optional("demo"),
      agent_session_id: optional("s-1", "s-2"),
      name: optional("n"),
    }),
    fc.record({
      kind: fc.constant("turn" as const),
      turn,
      phase: phase("queued", "started", "ended"),
      usage: fc.option(fc.constantFrom({ total_tokens: 3 }, { cost: { amount: 0.1, currency: "EUR" } }), {
        nil: undefined,
      }),
    }),
    fc.record({
      kind: fc.constant("message" as const),
      role: phase("user", "agent", "thought"),
      message_id: id,
      content: fc.constant({ type: "text", text: "\0\uD800" }),
      turn: optionalTurn,
    }),
    fc.record({
      kind: fc.constant("tool_call" as const),
      tool_call_id: id,
      status: optional("pending", "in_progress", "completed", "failed"),
      title: optional("t"),
      turn: optionalTurn,
    }),
    fc.record({
      kind: fc.constant("file" as const),
      op: fc.constant("write" as const),
      path: fc.constant("/w/a"),
      phase: phase("intended", "done", "refused"),
      intended: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      turn: optionalTurn,
    }),
    fc.record({
      kind: fc.constant("terminal" as const),
      terminal: id,
      phase: phase("started", "failed", "exited", "killed", "released"),
      turn: optionalTurn,
    }),
    fc.record({
      kind: fc.constant("permission" as const),
      request: fc.constantFrom(`${alpha}-1`, `${alpha}-2`, "odd"),
      phase: phase("requested", "resolved", "sent", "unsent"),
      via: fc.option(phase("restart", "policy"), { nil: undefined }),
      turn: optionalTurn,
    }),
    fc.record({
      kind: fc.constant("command" as const),
      verb: phase("agent.session.set_config", "agent.session.prompt"),
      command_id: optional("c-1"),
      by: fc.constant(null),
      origin: fc.constant("local" as const),
      args: fc.record({ option: id, value: fc.constantFrom<string | boolean>("x", true) }),
    }),
    fc.record({
      kind: fc.constant("reply" as const),
      verb: fc.constant("v"),
      command_seq: fc.integer({ min: 1, max: 30 }),
      rc: fc.constantFrom(0, 10),
      body: fc.constant({}),
    }),
    fc.record({
      kind: fc.constant("info" as const),
      title: fc.option(fc.option(fc.constantFrom("x", "y")), { nil: undefined }),
    }),
    fc.constantFrom<EntryContent>(
      { kind: "plan", plan_id: "p", entries: [], turn: 1 },
      { kind: "options", options: [] },
      { kind: "commands", commands: [] },
      { kind: "usage", used: 1, size: null },
      { kind: "diagnostic", what: "stdout", message: "noise" },
    ),
  );
}
