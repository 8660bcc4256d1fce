// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { renderElicitation } from "./elicitation.ts";
import { renderPermission, renderPermissionResolution } from "./permission.ts";
import { plain, rendered } from "../../display/styled.ts";
import { parseJson } from "../../json/raw-json.ts";

const view = { style: plain, columns: 0 };
const path = "/work/a.txt";
const edit: ToolCallFields = {
  tool_call_id: "t",
  title: "Edit a.txt",
  tool_kind: "edit",
  locations: [{ path }],
  content: [{ type: "diff", path, oldText: "one\n", newText: "two\n" }],
  raw_input: { file: path, old: "one\n", new: "two\n" },
};
const shown = (tool: ToolCallFields, more: { isWhole?: boolean; columns?: number } = {}): string[] =>
  renderPermission({ request: "s-1", tool_call: tool }, { ...view, isOpen: false, ...more })
    .slice(1)
    .map(rendered);

test("the resolver is named once, even if the reason names the policy too", () => {
  const entry = { kind: "permission", request: "s-1", phase: "resolved", outcome: "selected", option: "yes" } as const;
  const policy = { ...entry, via: "policy", by: null } as const;
  expect(rendered(renderPermissionResolution({ ...policy, why: 'policy "reading", rule 1' }, plain))).toBe(
    '  → yes (by policy "reading", rule 1)',
  );
  expect(rendered(renderPermissionResolution(policy, plain))).toBe("  → yes (by policy)");
});

test("a path, a diff and an input that repeat each other are shown once", () => {
  expect(shown(edit)).toEqual([`  ${path}`, "    - one", "    + two"]);
});

test("input members are shown if they add to the diff or differ from it", () => {
  const more = { file: path, new: "two\nand more\n", mode: "force" };
  expect(
    shown({ ...edit, raw_input: more })
      .slice(3)
      .join("\n"),
  ).toBe('    {\n     "new": "two\\nand more\\n",\n     "mode": "force"\n    }');
});

test("with several paths the input is shown, because it tells which is which", () => {
  const move = { tool_call_id: "t", locations: [{ path: "/a" }, { path: "/b" }], raw_input: { from: "/b", to: "/a" } };
  expect(shown(move).join("\n")).toContain('"from": "/b"');
});

test("a path that is not listed stays in the input", () => {
  const paths = Array.from({ length: 12 }, (_, index) => `/work/${index}`);
  const many = { tool_call_id: "t", locations: paths.map((one) => ({ path: one })), raw_input: { last: paths[11] } };
  expect(shown(many).join("\n")).toContain('"last": "/work/11"');
});

test("paths above the limit are counted, with the command that shows them", () => {
  const locations = Array.from({ length: 12 }, (_, index) => ({ path: `/work/${index}` }));
  const lines = shown({ tool_call_id: "t", locations });
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe("  … 2 more paths: mix agent permit show");
  expect(shown({ tool_call_id: "t", locations: locations.slice(1) }).at(-1)).toContain("1 more path:");
});

test("a wide line of a diff is shown to its end, and a cut diff names the command that shows all of it", () => {
  const asked = (newText: string, isBelowDiff = false): string =>
    renderPermission(
      { request: "s-1", tool_call: { tool_call_id: "t", content: [{ type: "diff", path, oldText: null, newText }] } },
      { style: plain, columns: 40, isBelowDiff },
    )
      .map(rendered)
      .join("\n");
  expect(asked(`${"x".repeat(90)} && harm`)).toContain(" && harm");
  expect(asked(`${"x".repeat(90)} && harm`)).not.toContain("is cut");
  const words = "… this change is cut; show all of it: mix agent permit show";
  expect(asked("x".repeat(1000))).toContain(words);
  expect(asked("line\n".repeat(100))).toContain(words);
  // The same holds if the diff itself is shown right above.
  expect(asked("line\n".repeat(100), true)).toContain(words);
});

test("isWhole shows every path and every line of a diff in full", () => {
  const locations = Array.from({ length: 12 }, (_, index) => ({ path: `/work/${index}` }));
  const newText = Array.from({ length: 200 }, (_, index) => `line ${index} ${"x".repeat(100)} end`).join("\n");
  const content = [{ type: "diff", path, oldText: null, newText }];
  const whole = shown({ tool_call_id: "t", locations, content }, { isWhole: true, columns: 80 });
  expect(whole).toEqual(expect.arrayContaining(locations.map((one) => `  ${one.path}`)));
  expect(whole.filter((line) => line.startsWith("    + line ") && line.endsWith(" end"))).toHaveLength(200);
});

test("with isWhole, too, a path, a diff and an input that repeat each other are shown once", () => {
  expect(shown(edit, { isWhole: true })).toEqual([`  ${path}`, "    - one", "    + two"]);
});

test.each([
  ["2026-01-01T00:00:00.020Z", "(within 10m)"],
  ["2026-01-01T00:00:30.000Z", "(within 9m)"],
  ["2026-01-01T00:09:15.000Z", "(within 45s)"],
  ["2026-01-01T00:10:00.000Z", "or: deny, show"],
])("at %s the line that tells how to answer ends with %s", (now, end) => {
  const question = { request: "s-1", now, expires_at: "2026-01-01T00:10:00.000Z" };
  expect(rendered(renderPermission(question, view).at(-1) ?? "").endsWith(end)).toBe(true);
  expect(renderElicitation(question, plain).map(rendered).join("\n").includes("(within")).toBe(
    end.startsWith("(within"),
  );
});

test("warnings come before the agent's own text", () => {
  const question = {
    request: "s-1",
    agent_session: "its-\u001b[2Jchild",
    tool_call: { ...edit, status: "completed" },
    changed: ["raw_input", "title"],
    left_out: ["content"],
  };
  const lines = renderPermission(question, { ...view, isOpen: false }).slice(1, 5);
  expect(lines.map(rendered)).toEqual([
    expect.stringMatching(/^ {2}! asked by another session of this agent: its-\P{Cc}*child$/u),
    "  ! this tool call has already ended: completed",
    "  ! changed since it was asked: raw input, title",
    "  ! too long to show here: content (mix agent permit show s-1)",
  ]);
});

test("the answer to a request that had changed says so", () => {
  const entry = { kind: "permission", request: "s-1", phase: "resolved", outcome: "selected", option: "yes" } as const;
  expect(rendered(renderPermissionResolution({ ...entry, by: "mix-a", changed: ["raw_input"] }, plain))).toBe(
    "  → yes (by mix-a; changed after it was asked: raw input)",
  );
});

test.each([false, true])("every digit of a number is shown, with isWhole %s", (isWhole) => {
  const input = parseJson('{"channel_id":1193820475610234881,"weight":1e400,"zero":-0,"rate":1.10}');
  expect(shown({ tool_call_id: "t", raw_input: input }, { isWhole })).toEqual([
    "    {",
    '     "channel_id": 1193820475610234881,',
    '     "weight": 1e400,',
    '     "zero": -0,',
    '     "rate": 1.10',
    "    }",
  ]);
  expect(shown({ tool_call_id: "t", raw_input: parseJson("1e400") }, { isWhole })).toEqual(["    1e400"]);
});

test("a request that does not describe its action gets a warning", () => {
  expect(shown({ tool_call_id: "t", tool_kind: "execute", content: [] })[0]).toContain("does not say what");
  expect(shown(edit).join("\n")).not.toContain("does not say");
});

test("options are named for --option only where a command can take it, and left out of a question that was answered", () => {
  const question = { request: "s-1", options: [{ option: "yes", name: "Yes", kind: "allow_once" }] };
  const choices = (more: object): string =>
    renderPermission(question, { ...view, ...more })
      .map(rendered)
      .filter((line) => line.includes("Yes"))
      .join();
  expect(choices({ columns: 0 })).toBe("  1) Yes  [allow_once, --option yes]");
  expect(choices({ columns: 80 })).toBe("  1) Yes  [allow_once]");
  expect(choices({ columns: 80, isWhole: true })).toBe("  1) Yes  [allow_once, --option yes]");
  expect(choices({ columns: 80, isWhole: true, isOpen: false })).toBe("  1) Yes  [allow_once]");
  expect(choices({ columns: 80, isOpen: false })).toBe("");
});

test("a path below the session's directory is relative to it, and one in the home directory begins with ~", () => {
  const tool_call = { tool_call_id: "t", locations: [{ path: "/home/ann/src/a" }, { path: "/home/ann/b" }] };
  const lines = renderPermission(
    { request: "s-1", tool_call },
    { ...view, directory: "/home/ann/src", home: "/home/ann" },
  );
  expect(lines.map(rendered).slice(1, 3)).toEqual(["  a", "  ~/b"]);
});
