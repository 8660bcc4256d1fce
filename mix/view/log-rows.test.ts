// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import { plain, rendered } from "../../display/styled.ts";
import { LogRows, type LogRowsOptions } from "./log-rows.ts";

beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Entries a second apart, from 23:59:58 in Berlin on. */
const entriesOf = (...contents: readonly EntryContent[]): Entry[] =>
  contents.map((content, index) => {
    const at = new Date(Date.parse("2026-01-01T22:59:58.000Z") + 1000 * index).toISOString();
    return { log: "l", session: "s", seq: index + 1, at, ...content };
  });

const rowsWith = (more: Partial<LogRowsOptions> = {}): LogRows =>
  new LogRows({ style: plain, columns: 0, seqColumns: 2, directory: "/work", ...more });

/** The rows without number and time. */
function told(contents: readonly EntryContent[], more: Partial<LogRowsOptions> = {}): string[] {
  const rows = rowsWith(more);
  for (const entry of entriesOf(...contents)) rows.add(entry);
  return rendered(rows.end())
    .replaceAll(/^.{25}/gm, "")
    .trimEnd()
    .split("\n");
}

const text = (role: "user" | "agent" | "thought", words: string, id = role as string): EntryContent => ({
  kind: "message",
  turn: 1,
  role,
  message_id: id,
  content: { type: "text", text: words },
  append: true,
});
const tool = (more: object): EntryContent => ({ kind: "tool_call", turn: 1, tool_call_id: "t", ...more });
const permission = (more: object): EntryContent =>
  ({ kind: "permission", turn: 1, request: "s-1", ...more }) as EntryContent;
const asked = permission({
  phase: "requested",
  tool_call: { tool_call_id: "t", title: "Write a.txt", tool_kind: "edit" },
  options: [
    { option: "yes", name: "Yes", kind: "allow_once" },
    { option: "no", name: "No", kind: "reject_once" },
  ],
});

test("the chunks of a message are one row, and text after a tool call is another one", () => {
  const call = { title: "Run it", tool_kind: "execute" };
  expect(
    told([
      text("user", "do it", "u"),
      text("thought", "I ", "t"),
      text("thought", "think.", "t"),
      text("agent", "One ", "a"),
      { kind: "usage", used: 1, size: 2 },
      text("agent", "two\n\nthree.\n", "a"),
      tool({ ...call, status: "pending" }),
      text("agent", "four", "a"),
    ]),
  ).toEqual([
    "user         do it",
    "thought      I think.",
    "agent        One two",
    "",
    "             three.",
    "tool_call    execute Run it (pending)",
    "agent        four",
  ]);
});

test("a tool call, a command, a question, a write and a terminal are one row each, where they began", () => {
  expect(
    told([
      {
        kind: "command",
        verb: "agent.session.prompt",
        by: "mix-ann",
        origin: "local",
        args: { when_busy: "queue", env: [] },
      },
      { kind: "reply", verb: "agent.session.prompt", command_seq: 1, rc: 0, body: {} },
      { kind: "command", verb: "agent.session.set_config", by: null, origin: "mesh", args: {} },
      {
        kind: "reply",
        verb: "agent.session.set_config",
        command_seq: 3,
        rc: 10,
        body: { error_code: "BUSY", message: "later" },
      },
      tool({ title: "Write a.txt", tool_kind: "edit", status: "pending" }),
      asked,
      tool({ status: "in_progress" }),
      permission({ phase: "resolved", outcome: "selected", option: "yes", by: "mix-ann", via: "notify" }),
      permission({ phase: "sent" }),
      { kind: "file", turn: 1, op: "write", phase: "intended", path: "/work/a.txt", bytes: 3 },
      { kind: "file", turn: 1, op: "write", phase: "done", path: "/work/a.txt", bytes: 3, intended: 10 },
      { kind: "terminal", turn: 1, terminal: "terminal-1", phase: "started", command: "npm", args: ["test"] },
      { kind: "terminal", turn: 1, terminal: "terminal-1", phase: "exited", exit_code: 1 },
      { kind: "terminal", turn: 1, terminal: "terminal-1", phase: "released" },
      tool({ status: "completed" }),
    ]),
  ).toEqual([
    "command      agent.session.prompt by mix-ann when_busy=queue",
    "command      agent.session.set_config by unknown sender (mesh) → BUSY: later",
    "tool_call    ✔ edit Write a.txt 10.0s",
    "permission   edit Write a.txt → allowed (yes), by mix-ann, asked by notify",
    "file         wrote a.txt, 3 bytes",
    "terminal     npm test → exit code 1",
  ]);
});

test("whoever follows sees what is open at once, and its end in another row", () => {
  const rows = rowsWith();
  const seen = (entry: Entry): string => {
    rows.add(entry);
    return rendered(rows.take(true));
  };
  const entries = entriesOf(
    tool({ title: "Build", tool_kind: "execute", status: "pending" }),
    tool({ status: "in_progress" }),
    text("agent", "Meanwhile "),
    text("agent", "this."),
    tool({ status: "failed" }),
  );
  expect(entries.map(seen)).toEqual([
    " 1  2026-01-01 23:59:58  tool_call    execute Build (pending)\n",
    "",
    " 3  2026-01-02 00:00:00  agent        Meanwhile",
    " this.",
    "\n 5  2026-01-02 00:00:02  tool_call    ✘ execute Build (failed) 4.0s\n",
  ]);
  expect(rendered(rows.end())).toBe("");
});

test("rows behind an open one wait for its end, but not for ever", () => {
  const rows = rowsWith();
  const [first, ...further] = entriesOf(
    tool({ title: "Build", status: "pending" }),
    ...Array.from({ length: 600 }, (_, index): EntryContent => ({
      kind: "notice",
      severity: "info",
      title: `${index}`,
    })),
  );
  if (first !== undefined) rows.add(first);
  expect(rendered(rows.take())).toBe("");
  for (const entry of further) rows.add(entry);
  const lines = rendered(rows.take()).split("\n");
  expect(lines[0]).toContain("tool Build (pending)");
  expect(lines).toHaveLength(602);
});

test("on a terminal a day has a line of its own, and text is wrapped beside its row's number", () => {
  const rows = rowsWith({ columns: 50 });
  const entries = entriesOf(
    { kind: "turn", turn: 1, phase: "started" },
    text("agent", "One two three four five six seven. "),
    text("agent", "Eight."),
    { kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" },
  );
  for (const entry of entries) rows.add(entry);
  expect(rendered(rows.end()).split("\n")).toEqual([
    "Thu 2026-01-01",
    " 1  23:59:58  turn         1 started",
    " 2  23:59:59  agent        One two three four five",
    "                           six seven. Eight.",
    "Fri 2026-01-02",
    " 4  00:00:01  turn         1 ended end_turn after",
    "                           3.0s",
    "",
  ]);
});

test("states that turns imply, and plans, options and commands that did not change, have no row unless asked for", () => {
  const options: EntryContent = {
    kind: "options",
    options: [
      { option: "mode", name: "Mode", type: "select", value: "ask" },
      { option: "loud", name: "Loud", type: "boolean", value: false },
    ],
  };
  const contents: EntryContent[] = [
    { kind: "state", state: "starting", agent: "demo" },
    { kind: "state", state: "starting", process: { pid: 7, start_time: "1", boot_id: "b" } },
    options,
    options,
    { kind: "options", options: [{ option: "mode", name: "Mode", type: "select", value: "auto" }] },
    { kind: "state", state: "idle", agent_info: { name: "demo", title: "Demo agent", version: "1" } },
    { kind: "plan", plan_id: "p", entries: [{ content: "a", priority: "low", status: "pending" }] },
    { kind: "plan", plan_id: "p", entries: [{ content: "a", priority: "low", status: "pending" }] },
    { kind: "state", state: "running" },
    { kind: "state", state: "failed", reason: "exit", error: { error_code: "AGENT_EXITED", message: "code 1" } },
  ];
  expect(told(contents)).toEqual([
    "state        starting",
    "options      mode=ask, loud=false",
    "options      mode=auto",
    "state        idle Demo agent 1",
    "plan         pending: a",
    "state        failed (exit) AGENT_EXITED: code 1",
  ]);
  const states = contents.filter(({ kind }) => kind === "state");
  expect(told(states, { kinds: ["state"] })).toHaveLength(states.length);
});

test("the last rows are those that were read from their beginning", () => {
  const contents = [text("agent", "long "), text("agent", "ago"), text("user", "and now", "u"), tool({ title: "Run" })];
  const lastOf = (count: number, from: number): readonly [boolean, string] => {
    const rows = rowsWith();
    for (const entry of entriesOf(...contents).slice(from)) {
      rows.add(entry);
      rows.keepLast(count);
    }
    return [rows.hasTail, rendered(rows.end()).replaceAll(/^.{25}\w+ +/gm, "")];
  };
  expect(lastOf(2, 1)).toEqual([true, "and now\ntool Run (pending)\n"]);
  // The message may have begun before.
  expect(lastOf(3, 1)[0]).toBe(false);
  expect(lastOf(1, 3)[0]).toBe(false);
});

test.each<[string, EntryContent]>([
  ["command", { kind: "command", verb: "agent.session.start", by: null, origin: "mesh", args: {} }],
  ["reply", { kind: "reply", verb: "agent.session.start", command_seq: 99, rc: 10, body: {} }],
  ["state", { kind: "state", state: "lost", reason: "restart" }],
  ["turn", { kind: "turn", turn: 1, phase: "ended", stop_reason: "cancelled", forced: true }],
  ["agent", text("agent", "two\nlines")],
  ["agent", text("agent", "")],
  ["tool_call", tool({ status: "failed", closed_by: "agentd" })],
  ["plan", { kind: "plan", plan_id: "p", entries: [{ content: "a", priority: "low", status: "pending" }] }],
  ["commands", { kind: "commands", commands: [{ name: "plan", description: "" }] }],
  ["options", { kind: "options", options: [{ option: "mode", name: "Mode", type: "select", value: "ask" }] }],
  ["info", { kind: "info", title: "T" }],
  ["info", { kind: "info", title: null, updated_at: "2026-01-01T00:00:00.000Z" }],
  ["elicitation", { kind: "elicitation", request: "r", phase: "sent" }],
  ["notice", { kind: "notice", severity: "warning", title: "T" }],
  ["compaction", { kind: "compaction", compaction_id: "c", status: "started" }],
  ["permission", { kind: "permission", request: "r", phase: "sent" }],
  ["extension", { kind: "extension", method: "_x/y", data: { a: 1 } }],
  ["diagnostic", { kind: "diagnostic", what: "stdout", message: "noise", count: 3 }],
  ["novelty", { kind: "novelty", of: "a newer agentd" } as unknown as EntryContent],
])("a row of %s has its number, its local time, its kind and a text", (name, content) => {
  const rows = rowsWith();
  for (const entry of entriesOf(content)) rows.add(entry);
  const [first, ...further] = rendered(rows.end()).trimEnd().split("\n");
  expect(first).toMatch(new RegExp(`^ 1  2026-01-01 23:59:58  ${name.padEnd(11)}  \\S`));
  for (const line of further) expect(line).toMatch(/^ {38}\S/);
});

test.each([
  [{ by: "mix-ann" }, "by mix-ann"],
  [{ by: "mix-ann", via: "notify" }, "by mix-ann, asked by notify"],
  [{ by: "notify", via: "notify" }, "a person, asked by notify"],
  [{ by: null, via: "timeout" }, "nobody answered in time"],
])("the log names who answered: %j", (more, wanted) => {
  const resolved = { phase: "resolved", outcome: "selected", option: "no", ...more };
  expect(told([asked, permission(resolved)])).toEqual([`permission   edit Write a.txt → refused (no), ${wanted}`]);
  // Without the question, whether an option allows is not known.
  expect(told([permission(resolved)])).toEqual([`permission   s-1 → selected (no), ${wanted}`]);
});

test("the row of a tool call has the last title that is known, also one that only a question tells", () => {
  const begun = tool({ title: "Terminal", tool_kind: "edit", status: "pending" });
  expect(told([begun, tool({ title: "`ls`" })])).toEqual(["tool_call    edit `ls` (pending)"]);
  const rows = told([begun, asked]);
  expect(rows[0]).toBe("tool_call    edit Write a.txt (pending)");
  expect(rows).toHaveLength(2);
});

test("the row of a sub-agent's tool call is marked", () => {
  const child = { title: "a.txt", tool_kind: "read", parent_tool_call_id: "one" };
  expect(told([tool({ ...child, status: "pending" }), tool({ status: "completed" })])).toEqual([
    "tool_call    ↳ ✔ read a.txt 1.0s",
  ]);
});

test("whoever follows sees a write once, when it has ended, and one that never ended at the end", () => {
  const rows = rowsWith();
  const write = (more: object) => ({ kind: "file", turn: 1, op: "write", path: "/work/a.txt", bytes: 3, ...more });
  const [intended, done, unfinished] = entriesOf(
    write({ phase: "intended" }) as EntryContent,
    write({ phase: "done", intended: 1 }) as EntryContent,
    write({ phase: "intended" }) as EntryContent,
  );
  rows.add(intended!);
  expect(rendered(rows.take(true))).toBe("");
  rows.add(done!);
  expect(rendered(rows.take(true))).toMatch(/^ 1 .* file +wrote \S+, 3 bytes\n$/);
  rows.add(unfinished!);
  expect(rendered(rows.take(true))).toBe("");
  expect(rendered(rows.end())).toMatch(/^ 3 .* file +write \S+, 3 bytes \(intended\)\n$/);
});
