// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ElicitationEntry, PermissionEntry } from "../agentd/vocabulary/entries.ts";
import { lineMeaning } from "./attachment-line.ts";

const question: PermissionEntry = {
  kind: "permission",
  request: "s-1",
  phase: "requested",
  options: [
    { option: "2", name: "Never", kind: "reject_once" },
    { option: "ok", name: "Yes", kind: "allow_once" },
  ],
};

test.each([
  ["an empty line is nothing", "  ", undefined, { kind: "nothing" }],
  ["a line is a prompt as it was typed", " do it ", undefined, { kind: "prompt", text: " do it " }],
  ["a slash belongs to the agent", "/cancel", undefined, { kind: "prompt", text: "/cancel" }],
  ["a colon is for us", ":cancel", undefined, { kind: "cancel" }],
  [":q detaches", ":q", question, { kind: "detach" }],
  [
    "a number is that answer, before an option of that name",
    "2",
    question,
    { kind: "answer", request: "s-1", option: "ok" },
  ],
  ["an option's own name is an answer", "ok", question, { kind: "answer", request: "s-1", option: "ok" }],
])("%s", (_what, line, asked, meaning) => {
  expect(lineMeaning(line, asked, true)).toEqual(meaning);
});

test.each(["0", "3", "yes", "please allow", "1.0", "-1"])("%s answers no question, and is no prompt either", (line) => {
  expect(lineMeaning(line, question, true).kind).toBe("words");
});

test("where no prompts are taken a line without a question is nothing", () => {
  expect(lineMeaning("hello", undefined, false)).toEqual({ kind: "nothing" });
});

const form: ElicitationEntry = {
  kind: "elicitation",
  request: "s-2",
  phase: "requested",
  mode: "form",
  schema: { properties: { loud: { type: "boolean" } } },
};
const address: ElicitationEntry = { ...form, mode: "url", url: "https://a.example" };
const long = { ...form, schema: { properties: { a: { type: "string" }, b: { type: "string" } } } };

test.each([
  ["a form of one field takes its value", "no", form, { action: "accept", content: { loud: false } }],
  ["an address takes a yes", "yes", address, { action: "accept" }],
  [":decline declines", ":decline", long, { action: "decline" }],
])("%s", (_what, line, asked, meaning) => {
  expect(lineMeaning(line, asked, true)).toEqual({ kind: "elicitation", request: "s-2", ...meaning });
});

test.each([
  ["a form of more fields", "x", long],
  ["an address without a yes", "y", address],
])("%s is answered by its own verb, and no prompt is made of the line", (_what, line, asked) => {
  expect(lineMeaning(line, asked, true).kind).toBe("words");
});

test(":cancel is the turn's, also while something is asked", () => {
  expect(lineMeaning(":cancel", form, true)).toEqual({ kind: "cancel" });
});
