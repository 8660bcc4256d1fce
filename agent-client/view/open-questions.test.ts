// SPDX-License-Identifier: MIT OR Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { EntryContent, PermissionEntry, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { OpenQuestions } from "./open-questions.ts";

let questions: OpenQuestions;
beforeEach(() => {
  questions = new OpenQuestions();
});

function apply(entry: EntryContent): void {
  questions = questions.apply(entry);
}

const resolved = (request: string): PermissionEntry => ({ kind: "permission", request, phase: "resolved" });

const build: ToolCallFields = { tool_call_id: "t", title: "npm run build", tool_kind: "execute" };

function asked(number: number, rest: Partial<PermissionEntry> = {}): PermissionEntry {
  return { kind: "permission", request: `s-${number}`, phase: "requested", tool_call: build, ...rest };
}

/** Updates the tool call, and logs which fields of the question changed by it. */
function change(number: number, said: Omit<ToolCallEntry, "kind" | "tool_call_id">, changed: readonly string[]): void {
  apply({ kind: "tool_call", tool_call_id: "t", ...said });
  apply({ kind: "permission", request: `s-${number}`, phase: "changed", changed });
}

const callOf = (request: string): ToolCallFields | undefined => {
  const found = questions.get(request);
  return found?.kind === "permission" ? found.tool_call : undefined;
};

test("the oldest question is asked first, and numbers restart when none is open", () => {
  for (const number of [1, 2]) apply(asked(number));
  expect(questions.current?.request).toBe("s-1");
  expect(["s-1", "s-2"].map((request) => questions.countLabel(request))).toEqual([" (1 of 2)", " (2 of 2)"]);
  apply(resolved("s-1"));
  expect(questions.current?.request).toBe("s-2");
  expect(questions.countLabel("s-2")).toBe(" (2 of 2)");
  apply(resolved("s-2"));
  apply(asked(3));
  expect(questions.countLabel("s-3")).toBe("");
});

test("a question stays as asked until the log records a change, and then shows the present tool call", () => {
  apply(asked(1));
  apply({ kind: "tool_call", tool_call_id: "t", status: "in_progress" });
  expect(questions.get("s-1")).toEqual(asked(1));
  change(1, { title: "rm -rf ~" }, ["title"]);
  change(1, { raw_input: { force: true } }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({
    phase: "requested",
    tool_call: { ...build, title: "rm -rf ~", raw_input: { force: true }, status: "in_progress" },
    changed: ["title", "raw_input"],
  });
});

test("each change gives the line another target, and the old target finds no question", () => {
  apply(asked(1));
  const before = questions.targetOf("s-1");
  change(1, { title: "rm -rf ~" }, ["title"]);
  const after = questions.targetOf("s-1");
  expect(questions.findByTarget(before)).toBeUndefined();
  expect(questions.findByTarget(after)?.request).toBe("s-1");
  expect([before, after].map((target) => questions.isOpen(target))).toEqual([true, true]);
  change(1, { title: "rm -rf /" }, ["title"]);
  expect([before, after]).not.toContain(questions.targetOf("s-1"));
  apply(resolved("s-1"));
  expect(questions.isOpen(before)).toBe(false);
});

test("appended text is in the question, and an omitted field is listed as omitted until it is known", () => {
  apply(asked(1, { tool_call: { ...build, title: "npm" }, left_out: ["raw_input", "content"] }));
  change(1, { grow: [{ path: ["title"], at: 3, text: " test" }] }, ["title"]);
  expect(callOf("s-1")?.title).toBe("npm test");
  expect(questions.get("s-1")).toMatchObject({ left_out: ["raw_input", "content"] });
  change(1, { raw_input: { all: true } }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({ left_out: ["content"] });
});

test("a tool call of the session does not affect a sub-agent's question about a call with the same id", () => {
  apply(asked(1, { agent_session: "sub" }));
  change(1, { title: "harmless" }, ["title"]);
  expect(callOf("s-1")?.title).toBe("npm run build");
});

test("a question that is added again keeps its number and its changed fields", () => {
  for (const number of [1, 2]) apply(asked(number));
  change(1, { title: "rm -rf ~" }, ["title"]);
  const target = questions.targetOf("s-1");
  const [now] = questions.all();
  if (now !== undefined) apply(now);
  expect([questions.countLabel("s-1"), questions.targetOf("s-1")]).toEqual([" (1 of 2)", target]);
  change(1, { raw_input: 1 }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({ changed: ["title", "raw_input"] });
});

test("a change of a question that is not open is ignored", () => {
  apply({ kind: "permission", request: "s-1", phase: "changed" });
  expect(questions.get("s-1")).toBeUndefined();
  expect(questions.current).toBeUndefined();
});
