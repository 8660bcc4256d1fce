// SPDX-License-Identifier: MIT OR Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { PermissionEntry, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { OpenQuestions } from "./open-questions.ts";

let questions: OpenQuestions;
beforeEach(() => {
  questions = new OpenQuestions();
});

const build: ToolCallFields = { tool_call_id: "t", title: "npm run build", tool_kind: "execute" };

function asked(number: number, rest: Partial<PermissionEntry> = {}): PermissionEntry {
  return { kind: "permission", request: `s-${number}`, phase: "requested", tool_call: build, ...rest };
}

/** The agent goes on describing the call, and the log says what of the question that has changed. */
function change(number: number, said: Omit<ToolCallEntry, "kind" | "tool_call_id">, changed: readonly string[]): void {
  questions.follow({ kind: "tool_call", tool_call_id: "t", ...said });
  questions.change({ kind: "permission", request: `s-${number}`, phase: "changed", changed });
}

const callOf = (request: string): ToolCallFields | undefined => {
  const found = questions.get(request);
  return found?.kind === "permission" ? found.tool_call : undefined;
};

test("the oldest is asked first, and numbers begin anew when none is open", () => {
  for (const number of [1, 2]) questions.add(asked(number));
  expect(questions.current?.request).toBe("s-1");
  expect(["s-1", "s-2"].map((request) => questions.countLabel(request))).toEqual([" (1 of 2)", " (2 of 2)"]);
  questions.remove("s-1");
  expect(questions.current?.request).toBe("s-2");
  expect(questions.countLabel("s-2")).toBe(" (2 of 2)");
  questions.remove("s-2");
  questions.add(asked(3));
  expect(questions.countLabel("s-3")).toBe("");
});

test("a question stays as it was asked until the log says that it has changed, and is then as its call is by now", () => {
  questions.add(asked(1));
  questions.follow({ kind: "tool_call", tool_call_id: "t", status: "in_progress" });
  expect(questions.get("s-1")).toEqual(asked(1));
  change(1, { title: "rm -rf ~" }, ["title"]);
  change(1, { raw_input: { force: true } }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({
    phase: "requested",
    tool_call: { ...build, title: "rm -rf ~", raw_input: { force: true }, status: "in_progress" },
    changed: ["title", "raw_input"],
  });
});

test("each change makes the target of its line another one, and the former leads to no question", () => {
  questions.add(asked(1));
  const before = questions.targetOf("s-1");
  change(1, { title: "rm -rf ~" }, ["title"]);
  const after = questions.targetOf("s-1");
  expect(questions.findByTarget(before)).toBeUndefined();
  expect(questions.findByTarget(after)?.request).toBe("s-1");
  expect([before, after].map((target) => questions.isOpen(target))).toEqual([true, true]);
  change(1, { title: "rm -rf /" }, ["title"]);
  expect([before, after]).not.toContain(questions.targetOf("s-1"));
  questions.remove("s-1");
  expect(questions.isOpen(before)).toBe(false);
});

test("what a text has grown by is in the question, and what was left out of it is missing until it is said", () => {
  questions.add(asked(1, { tool_call: { ...build, title: "npm" }, left_out: ["raw_input", "content"] }));
  change(1, { grow: [{ path: ["title"], at: 3, text: " test" }] }, ["title"]);
  expect(callOf("s-1")?.title).toBe("npm test");
  expect(questions.get("s-1")).toMatchObject({ left_out: ["raw_input", "content"] });
  change(1, { raw_input: { all: true } }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({ left_out: ["content"] });
});

test("a call of the session's own says nothing of a sub-agent's question with the same id", () => {
  questions.add(asked(1, { agent_session: "sub" }));
  change(1, { title: "harmless" }, ["title"]);
  expect(callOf("s-1")?.title).toBe("npm run build");
});

test("a question that is added as it has become keeps its number and what had changed of it", () => {
  for (const number of [1, 2]) questions.add(asked(number));
  change(1, { title: "rm -rf ~" }, ["title"]);
  const target = questions.targetOf("s-1");
  const [now] = questions.all();
  if (now !== undefined) questions.add(now);
  expect([questions.countLabel("s-1"), questions.targetOf("s-1")]).toEqual([" (1 of 2)", target]);
  change(1, { raw_input: 1 }, ["raw_input"]);
  expect(questions.get("s-1")).toMatchObject({ changed: ["title", "raw_input"] });
});

test("a change of a question that is not open is nothing", () => {
  expect(questions.change({ kind: "permission", request: "s-1", phase: "changed" })).toBeUndefined();
  expect(questions.current).toBeUndefined();
});
