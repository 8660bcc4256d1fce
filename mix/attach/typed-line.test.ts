// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ElicitationEntry, PermissionEntry } from "../../agentd/vocabulary/entries.ts";
import { lineMeaning } from "./typed-line.ts";

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
  ["an empty line does nothing", "  ", undefined, { kind: "nothing" }],
  ["a line is a prompt as it was typed", " do it ", undefined, { kind: "prompt", text: " do it " }],
  ["a slash belongs to the agent", "/cancel", undefined, { kind: "prompt", text: "/cancel" }],
  ["a colon is for us", ":cancel", undefined, { kind: "cancel" }],
  [":q detaches", ":q", question, { kind: "detach" }],
  [
    "a number means the option at that place, not an option with that id",
    "2",
    question,
    { kind: "permission", answer: { request: "s-1", option: "ok" } },
  ],
  ["an option's id is an answer", "ok", question, { kind: "permission", answer: { request: "s-1", option: "ok" } }],
  [
    ":dismiss leaves a question unanswered",
    ":dismiss",
    question,
    { kind: "permission", answer: { request: "s-1", cancelled: true } },
  ],
])("%s", (_what, line, asked, meaning) => {
  expect(lineMeaning(line, asked)).toEqual(meaning);
});

test.each([
  ["y", "allow_once", "reject_once", { option: "no" }],
  ["YES", "allow_once", "reject_once", { option: "no" }],
  ["n", "allow_once", "reject_once", { option: "y" }],
  ["no", "allow_once", "allow_always", { cancelled: true }],
] as const)("%s means what it says, whatever the agent calls its options", (line, no, y, decision) => {
  const options = [
    { option: "no", name: "No", kind: no },
    { option: "y", name: "Yes", kind: y },
  ];
  const { request } = question;
  expect(lineMeaning(line, { ...question, options })).toEqual({ kind: "permission", answer: { request, ...decision } });
});

test("a yes that could mean several options is refused, and the error lists them", () => {
  const options = ["a", "b"].map((option) => ({ option, name: option, kind: "allow_once" }));
  expect(() => lineMeaning("y", { ...question, options })).toThrow("a (allow_once), b (allow_once)");
});

test.each(["0", "3", "yes please", "please allow", "1.0", "-1"])("%s is neither an answer nor a prompt", (line) => {
  expect(lineMeaning(line, question).kind).toBe("words");
});

const form: ElicitationEntry = {
  kind: "elicitation",
  request: "s-2",
  phase: "requested",
  mode: "form",
  schema: { properties: { loud: { type: "boolean" } } },
};
const address: ElicitationEntry = { ...form, mode: "url", url: "https://a.example" };
const list = { ...form, schema: { properties: { days: { type: "array" } } } };
const long = { ...form, schema: { properties: { a: { type: "string" }, b: { type: "string" } } } };

test.each([
  ["a form of one field takes its value", "no", form, { action: "accept", content: { loud: false } }],
  [
    "a word other than yes or no is sent unchanged, even `constructor`",
    "constructor",
    form,
    { action: "accept", content: { loud: "constructor" } },
  ],
  ["an address takes a yes", "yes", address, { action: "accept" }],
  [":decline declines", ":decline", long, { action: "decline" }],
  [":dismiss leaves it unanswered", ":dismiss", long, { action: "cancel" }],
  [":accept takes a form's defaults", ":accept", long, { action: "accept" }],
  [
    "a form of several fields takes them by name, with quotes around spaces",
    `a="two words" b='it is "so"'`,
    long,
    { action: "accept", content: { a: "two words", b: 'it is "so"' } },
  ],
  [
    "an array field is written by name even if it is the only field",
    "days=mon days=tue",
    list,
    { action: "accept", content: { days: ["mon", "tue"] } },
  ],
])("%s", (_what, line, asked, meaning) => {
  expect(lineMeaning(line, asked)).toEqual({ kind: "elicitation", answer: { request: "s-2", ...meaning } });
});

test("a URL is accepted only by yes, and any other line is not a prompt", () => {
  expect(lineMeaning("y", address).kind).toBe("words");
});

test.each(["x", "a=1 a=2", "a='open", "=1"])("fields written as %j are a usage error", (line) => {
  expect(() => lineMeaning(line, long)).toThrow(expect.objectContaining({ code: "USAGE" }) as Error);
});

test.each([
  ["nothing asked", undefined, [":detach"]],
  ["a permission", question, ["number", ":dismiss", ":detach"]],
  ["a form of more fields", long, ["field=value", ":decline", ":accept", ":dismiss", ":cancel"]],
  ["a form of one field", form, ["the line", ":decline"]],
  ["an address", address, ["yes", ":decline"]],
])("with %s, :help says all that can be typed", (_what, asked, parts) => {
  const meaning = lineMeaning(":help", asked);
  for (const part of parts) expect(meaning).toMatchObject({ kind: "words", text: expect.stringContaining(part) });
});

test(":cancel cancels the turn, even while a question is open", () => {
  expect(lineMeaning(":cancel", form)).toEqual({ kind: "cancel" });
});
