// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import { colours, plain, rendered } from "../../display/styled.ts";
import { Transcript } from "./transcript.ts";

const text = (role: "user" | "agent" | "thought", words: string, id = role as string): EntryContent => ({
  kind: "message",
  turn: 1,
  role,
  message_id: id,
  content: { type: "text", text: words },
  append: true,
});
const tool = (more: object): EntryContent => ({ kind: "tool_call", turn: 1, tool_call_id: "t", ...more });
const entryOf = (content: EntryContent, index: number): Entry => ({
  log: "l",
  session: "s",
  seq: index + 1,
  at: `2026-01-01T00:00:${String(index).padStart(2, "0")}.000Z`,
  ...content,
});

function shown(
  contents: readonly EntryContent[],
  more: { columns?: number; showPrompts?: boolean; home?: string; self?: string } = {},
): string {
  const transcript = new Transcript({ style: plain, columns: 0, showPrompts: false, ...more });
  return [...contents.map((content, index) => transcript.show(entryOf(content, index))), transcript.end()]
    .map(rendered)
    .join("");
}

test("an output that grew is shown in full when the tool ends, and a missing beginning is marked", () => {
  const output = (words: string) => [{ type: "content", content: { type: "text", text: words } }];
  const grow = (at: number, words: string) => [{ path: ["content", 0, "content", "text"], at, text: words }];
  const first = tool({ title: "Run", tool_kind: "execute", status: "in_progress", content: output("one\n") });
  const more = [tool({ grow: grow(4, "two\n") }), tool({ status: "completed", grow: grow(8, "three") })];
  expect(shown([first, ...more])).toContain("    one\n    two\n    three\n  ✔ completed");
  expect(shown(more)).toContain("    … 4 characters before …\n    two\n    three\n");
});

test("a question that the agent changes while it is open is shown again in its new form", () => {
  const request = "s-1";
  const asked = { tool_call_id: "t", title: "Run", tool_kind: "execute", raw_input: { command: "ls" } };
  const permission = (more: object) => ({ kind: "permission", turn: 1, request, ...more }) as EntryContent;
  const output = shown([
    tool({ title: "Run", tool_kind: "execute", status: "pending", raw_input: { command: "ls" } }),
    permission({ phase: "requested", tool_call: asked, said_before: ["title"], options: [] }),
    tool({ tool_call_id: "other", raw_input: { command: "true" } }),
    tool({ raw_input: { command: "rm -rf ~" } }),
    permission({ phase: "changed", changed: ["raw_input"] }),
  ]);
  const [first, again] = output.split("? allow: Run (execute)\n").slice(1);
  expect(first).toContain('"command": "ls"');
  expect(again).toContain("  ! changed since it was asked: raw input\n");
  expect(again).toContain('"command": "rm -rf ~"');
});

test("written and refused files are shown, and of terminals the start, the end and the last lines", () => {
  const file = (more: object) => ({ kind: "file", path: "/work/a.txt", turn: 1, ...more }) as EntryContent;
  const terminal = (more: object) => ({ kind: "terminal", terminal: "terminal-7", turn: 1, ...more }) as EntryContent;
  const tail = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join("");
  const output = shown([
    { kind: "state", state: "starting", agent: "demo", cwd: "/work" },
    file({ op: "read", phase: "done", bytes: 3 }),
    file({ op: "write", phase: "intended", bytes: 5 }),
    file({ op: "write", phase: "done", bytes: 5, intended: 3 }),
    file({ op: "read", phase: "refused", path: "/etc/x", reason: "outside", message: "not\u001b[2J yours" }),
    terminal({ phase: "started", command: "make", args: ["-j2", "all"] }),
    terminal({ phase: "exited", exit_code: 2, signal: null, tail }),
    terminal({ phase: "released" }),
    terminal({ phase: "exited", exit_code: null, signal: "SIGTERM", tail: "", terminal: "terminal-8" }),
    terminal({ phase: "failed", message: "no such program", terminal: "terminal-9" }),
  ]);
  expect(output.split("\n")).toEqual([
    "✔ wrote a.txt, 5 bytes",
    expect.stringMatching(/^✘ read \/etc\/x: not\P{Cc}* yours$/u),
    "• terminal-7  make -j2 all",
    ...Array.from({ length: 8 }, (_, index) => `    line ${index}`),
    "    … 16 more lines …",
    ...Array.from({ length: 6 }, (_, index) => `    line ${index + 24}`),
    "  ✘ terminal-7 exit code 2",
    "  ■ terminal-8 SIGTERM",
    "✘ terminal-9: no such program",
    "",
  ]);
});

test("the home directory is written as ~", () => {
  const output = shown(
    [
      { kind: "state", state: "starting", agent: "demo", cwd: "/home/ann/work" },
      { kind: "state", state: "idle", agent_info: { name: "demo", title: null, version: "1" } },
    ],
    { home: "/home/ann" },
  );
  expect(output).toBe("● demo 1 is ready in ~/work\n");
});

test("a turn shows ready, thought, plan, tool with its diff, text and end, separated by empty lines", () => {
  const output = shown([
    { kind: "state", state: "starting", agent: "demo", cwd: "/work" },
    { kind: "state", state: "running", agent_info: { name: "demo", title: "Demo", version: "1" } },
    { kind: "turn", turn: 1, phase: "started" },
    text("thought", "Let me "),
    text("thought", "see."),
    {
      kind: "plan",
      turn: 1,
      plan_id: "p",
      entries: [
        { content: "Look", priority: "high", status: "in_progress" },
        { content: "Write", priority: "high", status: "pending" },
      ],
    },
    tool({
      title: "Write a.txt",
      tool_kind: "edit",
      status: "in_progress",
      content: [{ type: "diff", path: "/work/a.txt", oldText: "one\n", newText: "two\n" }],
    }),
    tool({ status: "completed" }),
    {
      kind: "plan",
      turn: 1,
      plan_id: "p",
      entries: [
        { content: "Look", priority: "high", status: "completed" },
        { content: "Write", priority: "high", status: "pending" },
      ],
    },
    text("agent", "Done.\n\n"),
    { kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn", sent: true },
  ]);
  expect(output).toBe(`● Demo 1 is ready in /work

✻ Let me see.

plan
  ▸ Look
  ☐ Write

• edit  Write a.txt
  a.txt
    - one
    + two
  ✔ completed

  ✔ Look

Done.

✔ turn 1 done in 8.0s
`);
});

test("when two tools run at once, the end of each shows its title", () => {
  const output = shown([
    tool({ title: "First", tool_kind: "read", status: "in_progress" }),
    { ...tool({ title: "Second", tool_kind: "read", status: "in_progress" }), tool_call_id: "u" } as EntryContent,
    tool({ status: "failed" }),
  ]);
  expect(output).toBe("• read  First\n• read  Second\n✘ read  First\n");
});

test("a diff is shown once, even if the agent resends the tool's whole content", () => {
  const content = [{ type: "diff", path: "a", newText: "x\n" }];
  const output = shown([
    tool({ title: "T", content }),
    tool({ content, status: "in_progress" }),
    tool({ content, status: "completed" }),
  ]);
  expect(output.match(/\+ x/g)).toHaveLength(1);
});

test("a tool's output is shown when the tool ends, of a long one its beginning and its end", () => {
  const long = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  const content = [{ type: "content", content: { type: "text", text: long } }];
  const output = shown([tool({ title: "Run", tool_kind: "execute", status: "completed", content })]);
  expect(output).toContain("    line 0\n");
  expect(output).toContain("    line 7\n    … 86 more lines …\n    line 94\n");
  expect(output).toContain("    line 99\n✔ execute  Run\n");
});

test("colours in the output of an agent, a tool or a terminal are dropped, and other sequences are shown", () => {
  const red = "a\u001b[1;31mred\u001b[0m\u009b32mb\u001b[2Jc";
  const content = [{ type: "content", content: { type: "text", text: red } }];
  for (const columns of [0, 40]) {
    const [first, rest] = ["\u001b[3", "1mx\u001b[38:2:1:2:3mz\u001b["];
    const output = shown(
      [
        text("agent", red),
        text("thought", first),
        text("thought", rest),
        tool({ title: "T", status: "completed", content }),
        { kind: "terminal", terminal: "t", phase: "exited", exit_code: 0, signal: null, tail: red },
      ],
      { columns },
    );
    expect(output.split("aredb\\x1b[2Jc")).toHaveLength(4);
    expect(output).toContain("✻ xz\\x1b[\n");
  }
});

test("a tool call that the agent left open ended without a result, which is no failure", () => {
  const closed = tool({ status: "failed", closed_by: "agentd" });
  expect(shown([tool({ title: "T", status: "in_progress" }), closed])).toBe("• tool  T\n  ■ ended without a result\n");
  const between = [tool({ title: "T", status: "in_progress" }), text("agent", "a"), closed];
  expect(shown(between)).toContain("\n■ tool  T: ended without a result\n");
  const coloured = new Transcript({ style: colours, columns: 0, showPrompts: false });
  expect(rendered(coloured.show(entryOf(tool({ title: "T", ...closed }), 0)))).not.toContain("[91m");
});

test("a diff that a question has shown is not shown again with its tool call", () => {
  const content = [{ type: "diff", path: "a.txt", oldText: null, newText: "two\n" }];
  const call = { tool_call_id: "t", title: "Write", tool_kind: "edit", content };
  const asked: EntryContent = { kind: "permission", turn: 1, request: "s-1", phase: "requested", tool_call: call };
  const output = shown([asked, tool({ ...call, status: "in_progress" }), tool({ content, status: "completed" })]);
  expect(output.split("+ two")).toHaveLength(2);
  const other = [{ ...content[0], newText: "three\n" }];
  expect(shown([asked, tool({ ...call, content: other })])).toContain("+ three");
});

test("two messages are two paragraphs, and chunks of one message are one", () => {
  expect(shown([text("agent", "a", "m1"), text("agent", "b", "m1"), text("agent", "c", "m2")])).toBe("ab\n\nc\n");
});

test("a prompt is shown to people who watch, and not to the person who typed it", () => {
  expect(shown([text("user", "do it")], { showPrompts: true })).toBe("> do it\n");
  expect(shown([text("user", "do it")])).toBe("");
});

test("text is wrapped between words, after a thought's mark too", () => {
  const words = "aaaa bbbb cccc dddd";
  expect(shown([text("agent", words)], { columns: 10 })).toBe("aaaa bbbb\ncccc dddd\n");
  expect(shown([text("thought", words)], { columns: 11 })).toBe("✻ aaaa bbbb\n  cccc dddd\n");
});

test("a permission request shows the action, the choices and the command that answers it", () => {
  const output = shown([
    {
      kind: "permission",
      turn: 1,
      request: "abc-1",
      phase: "requested",
      tool_call: {
        tool_call_id: "t",
        title: "Run tests",
        tool_kind: "execute",
        raw_input: { command: "rm -rf /" },
        locations: [{ path: "/work" }],
      },
      options: [{ option: "a", name: "Allow", kind: "allow_once" }],
      now: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:10:00.000Z",
    },
    { kind: "permission", turn: 1, request: "abc-1", phase: "resolved", outcome: "cancelled", via: "timeout" },
  ]);
  expect(output).toContain("? allow: Run tests (execute)\n  /work\n");
  expect(output).toContain("rm -rf /");
  expect(output).toContain("1) Allow  [allow_once, --option a]");
  expect(output).toContain("mix agent permit allow abc-1");
  expect(output).toContain("(within 10m)");
  expect(output).toContain("→ cancelled: execute Run tests (nobody answered in time)");
});

test("a session that fails shows the error and the end of the agent's stderr", () => {
  const error = { error_code: "AGENT_EXITED", message: "exit 1", stderr_tail: "boom\u001b[2J\n" } as const;
  expect(shown([{ kind: "state", state: "failed", error }])).toBe(
    "✘ session failed: AGENT_EXITED: exit 1\n  boom\\x1b[2J\n",
  );
});

test("the end of the agent's stderr is shown at the interrupted turn, and not again at the session's end", () => {
  const error = { error_code: "AGENT_EXITED", message: "exit 1", stderr_tail: "boom\n" } as const;
  const ended: EntryContent = { kind: "turn", turn: 1, phase: "ended", stop_reason: "interrupted", error };
  expect(shown([ended])).toContain("AGENT_EXITED: exit 1\n  boom\n");
  expect(shown([ended, { kind: "state", state: "failed", error }]).split("boom")).toHaveLength(2);
});

test("options are shown when they change, not when they are first known", () => {
  const options = (value: string): EntryContent => ({
    kind: "options",
    options: [{ option: "mode", name: "Mode", type: "select", value }],
  });
  expect(shown([options("ask"), options("ask"), options("auto")])).toBe("○ Mode: auto\n");
});

test("one's own answers and cancels are by you, others' by their name", () => {
  const acts: EntryContent[] = ["mix-me", "mix-ann"].flatMap((by): EntryContent[] => [
    { kind: "permission", turn: 1, request: "s-1", phase: "resolved", outcome: "selected", option: "yes", by },
    { kind: "elicitation", turn: 1, request: "s-2", phase: "resolved", outcome: "decline", by },
    { kind: "command", verb: "agent.session.cancel", by, origin: "local", args: {} },
  ]);
  const output = shown([{ kind: "turn", turn: 1, phase: "started" }, ...acts], { self: "mix-me" });
  const [me, other] = ["you", "mix-ann"].map((name) => [`(by ${name})`, `(by ${name})`, `requested by ${name}`]);
  expect(output.match(/\(by .*?\)|requested by [a-z-]+/g)).toEqual([...(me ?? []), ...(other ?? [])]);
});

test("the view names the person who answered, even through notify", () => {
  const resolved = (more: object): EntryContent => ({
    kind: "permission",
    turn: 1,
    request: "s-1",
    phase: "resolved",
    outcome: "selected",
    option: "yes",
    ...more,
  });
  const how = (more: object): string => shown([resolved(more)]).trim();
  expect(how({ by: "mix-ann" })).toBe("→ yes (by mix-ann)");
  expect(how({ by: "mix-ann", via: "notify" })).toBe("→ yes (by mix-ann, asked by notify)");
  expect(how({ by: "notify", via: "notify" })).toBe("→ yes (a person, asked by notify)");
  expect(how({ by: null, via: "timeout" })).toBe("→ yes (nobody answered in time)");
});

test("a diff shown right above its permission request is not repeated; any other is", () => {
  const content = [{ type: "diff", path: "/work/a.txt", oldText: null, newText: "two\n" }];
  const call = tool({ title: "Write a.txt", tool_kind: "edit", status: "pending", content });
  const asked = (more: object = {}): EntryContent => ({
    kind: "permission",
    turn: 1,
    request: "s-1",
    phase: "requested",
    tool_call: { tool_call_id: "t", title: "Write a.txt", tool_kind: "edit", content, ...more },
  });
  const count = (...contents: EntryContent[]): number => shown(contents).split("+ two").length - 1;
  expect(count(call, asked())).toBe(1);
  expect(count(call, text("agent", "One more word."), asked())).toBe(2);
  expect(count(asked())).toBe(1);
  const other = [{ ...content[0], oldText: "one\n" }];
  expect(shown([call, asked({ content: other })])).toContain("- one\n");
});

test("a queued prompt is shown once, when its turn starts, or when it ends in the queue", () => {
  const turn = (number: number, phase: "queued" | "started" | "ended"): EntryContent => ({
    kind: "turn",
    turn: number,
    phase,
    ...(phase === "ended" ? { stop_reason: "cancelled" } : {}),
  });
  const prompt = (number: number): EntryContent => ({
    ...text("user", `prompt ${number}`, `u${number}`),
    turn: number,
  });
  const contents = [turn(1, "started"), turn(2, "queued"), prompt(2), turn(3, "queued"), prompt(3)];
  expect(shown([...contents, text("agent", "working")], { showPrompts: true })).toBe("working\n");
  const later = [turn(3, "ended"), turn(1, "ended"), turn(2, "started")];
  expect(shown([...contents, ...later], { showPrompts: true })).toBe(
    "> prompt 3\n\n■ turn 3 cancelled before it began\n■ turn 1 cancelled in 6.0s\n\n> prompt 2\n",
  );
});

test("a silence of the model is a line of its own, and the end of a turn that its agent calls failed says why", () => {
  const output = shown([
    { kind: "turn", turn: 1, phase: "started" },
    { kind: "diagnostic", turn: 1, what: "model-silent", message: "no answer from the model for 20 s" },
    { kind: "diagnostic", turn: 1, what: "model-retry", message: "a request to the model failed: 429" },
    {
      kind: "turn",
      turn: 1,
      phase: "ended",
      stop_reason: "failed",
      sent: true,
      error: { error_code: "AGENT_ERROR", message: "429: no quota" },
    },
  ]);
  expect(output).toBe(
    [
      "… no answer from the model for 20 s",
      "· model-retry: a request to the model failed: 429",
      "■ turn 1 failed in 3.0s: AGENT_ERROR: 429: no quota",
      "",
    ].join("\n"),
  );
});

/** Of entries that were logged at the same time. */
function shownAtOnce(...contents: EntryContent[]): string {
  const transcript = new Transcript({ style: plain, columns: 0, showPrompts: false });
  const at = "2026-01-01T00:00:00.000Z";
  const texts = contents.map((content, index) => transcript.show({ ...entryOf(content, index), at }));
  return [...texts, transcript.end()].map(rendered).join("");
}

test("a tool call whose title changes before its end is shown once, with the last title", () => {
  const output = shownAtOnce;
  const title = (words: string, more = {}) => tool({ title: words, ...more });
  const begun = title("Terminal", { tool_kind: "execute", status: "pending" });
  const done = tool({ status: "completed" });
  expect(output(begun, title("`npm test`"), done)).toBe("• execute  `npm test`\n  ✔ completed\n");
  expect(output(begun, title("`npm test`", { status: "completed" }))).toBe("• execute  `npm test`\n  ✔ completed\n");
  expect(output(begun, done)).toBe("• execute  Terminal\n  ✔ completed\n");
  expect(output(begun)).toBe("• execute  Terminal\n");
  // Once it is shown, a new title is on the line of the result.
  expect(output(begun, text("agent", "Meanwhile"), title("`npm test`"), done)).toBe(
    "• execute  Terminal\n\nMeanwhile\n\n✔ execute  `npm test`\n",
  );
  expect(output(begun, title("`npm`"), title("`npm test`"), done)).toBe("• execute  `npm`\n✔ execute  `npm test`\n");
});

test("a headline that is held back is shown after a moment, by the times of the log", () => {
  const begun = tool({ title: "Terminal", tool_kind: "execute", status: "pending" });
  const entries = [begun, { kind: "usage", used: 1, size: 2 } as EntryContent, tool({ title: "`ls`" })];
  // Entries of this file are a second apart.
  expect(shown([...entries, tool({ status: "completed" })])).toBe("• execute  Terminal\n✔ execute  `ls`\n");
});

test("a question shows the tool call that it is about first, with the title that the question has", () => {
  const begun = tool({ title: "Terminal", tool_kind: "execute", status: "pending" });
  const asked = { tool_call_id: "t", title: "`ls`", tool_kind: "execute" };
  const permission = { kind: "permission", turn: 1, request: "s-1", phase: "requested" } as const;
  expect(shownAtOnce(begun, { ...permission, tool_call: asked, options: [] })).toMatch(
    /^• execute {2}`ls`\n\n\? allow: `ls` \(execute\)\n/,
  );
  const other = { ...permission, agent_session: "other", tool_call: asked, options: [] };
  expect(shownAtOnce(begun, other)).toMatch(/^• execute {2}Terminal\n/);
});

test("an id that is used again is another tool call, with a headline of its own", () => {
  const call = (title: string) => tool({ title, tool_kind: "read", status: "pending" });
  const done = tool({ status: "completed" });
  expect(shown([call("a"), done, call("b"), done])).toBe("• read  a\n  ✔ completed\n• read  b\n  ✔ completed\n");
});

test("the tool calls of a sub-agent are indented below the call that started it, or name it", () => {
  const call = (id: string, title: string, parent?: string) =>
    ({
      ...tool({ title, tool_kind: "read", status: "in_progress", parent_tool_call_id: parent }),
      tool_call_id: id,
    }) as EntryContent;
  const ended = (id: string) => ({ ...tool({ status: "completed" }), tool_call_id: id }) as EntryContent;
  const output = shown([
    call("one", "Explore"),
    call("a", "a.txt", "one"),
    ended("a"),
    call("b", "b.txt", "one"),
    call("two", "Review"),
    ended("b"),
    call("c", "c.txt", "two"),
    ended("c"),
    call("d", "d.txt", "unseen"),
  ]);
  expect(output.split("\n")).toEqual([
    "• read  Explore",
    "  • read  a.txt",
    "    ✔ completed",
    "  • read  b.txt",
    "• read  Review",
    "  ✔ read  b.txt (in Explore)",
    "  • read  c.txt (in Review)",
    "    ✔ completed",
    "  • read  d.txt (in unseen)",
    "",
  ]);
});

test("a question and a text of a sub-agent are marked as such", () => {
  const begun = tool({ tool_call_id: "one", title: "Explore", tool_kind: "think", status: "in_progress" });
  const child = tool({ title: "`ls`", tool_kind: "execute", status: "pending", parent_tool_call_id: "one" });
  const call = { tool_call_id: "t", title: "`ls`", tool_kind: "execute" };
  const permission = { kind: "permission", turn: 1, request: "s-1", phase: "requested" } as const;
  const said = { ...text("agent", "found it", "x"), parent_tool_call_id: "one" } as EntryContent;
  const output = shown([
    begun,
    child,
    { ...permission, tool_call: call, sub_agent: "Explore", options: [] },
    said,
    text("agent", "Done", "y"),
  ]);
  expect(output).toContain("? allow: `ls` (execute)\n  asked by a sub-agent: Explore\n");
  expect(output).toContain("\n\n  ↳ found it\n\nDone");
});

test("each turn shows its plan whole at first, under its heading", () => {
  const plan = (turn: number, ...steps: [content: string, status: string][]): EntryContent => {
    const entries = steps.map(([content, status]) => ({ content, status, priority: "medium" }));
    return { kind: "plan", turn, entries } as unknown as EntryContent;
  };
  const phase = (turn: number, what: "started" | "ended"): EntryContent => ({ kind: "turn", turn, phase: what });
  const output = shown([
    phase(1, "started"),
    plan(1, ["Look", "completed"]),
    phase(1, "ended"),
    phase(2, "started"),
    plan(2, ["Look", "completed"], ["Answer", "pending"]),
    plan(2, ["Look", "completed"], ["Answer", "completed"]),
  ]);
  expect(output).toContain("plan\n  ✔ Look\n\n■ turn 1 ended");
  expect(output).toContain("\nplan\n  ✔ Look\n  ☐ Answer\n  ✔ Answer\n");
});

test("a cancel is shown while there is a turn to cancel, and not when there is none", () => {
  const cancel: EntryContent = {
    kind: "command",
    verb: "agent.session.cancel",
    by: "mix-ann",
    origin: "local",
    args: {},
  };
  const phase = (what: "queued" | "started" | "ended"): EntryContent => ({ kind: "turn", turn: 1, phase: what });
  expect(shown([cancel])).toContain("cancel requested");
  expect(shown([phase("queued"), cancel])).toContain("cancel requested");
  expect(shown([phase("started"), cancel, phase("ended"), cancel]).split("cancel requested")).toHaveLength(2);
});

test("a title that begins with the word for its kind is not written behind it", () => {
  const output = shown([
    tool({ title: "Read notes.txt", tool_kind: "read", status: "pending" }),
    tool({ tool_call_id: "u", title: "Write notes.txt", tool_kind: "edit", status: "pending" }),
  ]);
  expect(output).toBe("• Read notes.txt\n• edit  Write notes.txt\n");
});

test("a prompt that a running turn has taken in is shown where it went in, and one that was not waits", () => {
  const prompt = { ...text("user", "look here", "u"), turn: 2 } as EntryContent;
  const asked: EntryContent = { kind: "turn", turn: 2, phase: "queued", steering: "asked" };
  const steered = { kind: "turn", turn: 2, phase: "ended", stop_reason: "steered", sent: true } as const;
  const before = [text("agent", "One", "a"), asked, prompt];
  const injected: EntryContent = { ...steered, steering: "injected", into: 1 };
  expect(shown([...before, injected, text("agent", "Two", "a")], { showPrompts: true })).toBe(
    "One\n\n> look here\n\n↳ turn 2: into turn 1\n\nTwo\n",
  );
  const own: EntryContent = { ...steered, steering: "startedNewTurn" };
  expect(shown([...before, own])).toContain("↳ turn 2: the agent has begun a turn of its own with it\n");
  const waits: EntryContent = { kind: "turn", turn: 2, phase: "queued", steering: "promptRequired" };
  const started: EntryContent = { kind: "turn", turn: 2, phase: "started" };
  expect(shown([...before, waits, started], { showPrompts: true })).toBe(
    "One\n\n· turn 2 waits: no running turn has taken it in\n\n> look here\n",
  );
});
