// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { readDuration } from "../../display/durations.ts";
import { parseArguments } from "./arguments.ts";
import type { FlagTable } from "./arguments.ts";
import { assignment, jsonOrText, optionValue } from "./assignments.ts";

const flags: FlagTable = {
  close: { kind: "switch", short: "c", about: "" },
  cwd: { kind: "text", about: "" },
  tail: { kind: "text", about: "" },
  timeout: { kind: "text", about: "" },
  set: { kind: "texts", about: "" },
  help: { kind: "switch", about: "" },
};
const parse = (...words: string[]) =>
  parseArguments(words, { flags, positionals: { min: 1, max: 2 }, usage: "do <what> [more]" });
const usage = { code: "USAGE" };

test("flags may stand before, between and after the words, short, long or with an equals sign", () => {
  const args = parse("a", "-c", "b", "--cwd=/x", "--set", "k=1", "--set", "l=2");
  expect(args.positionals).toEqual(["a", "b"]);
  expect([args.switch("close"), args.text("cwd"), args.texts("set")]).toEqual([true, "/x", ["k=1", "l=2"]]);
});

test("flags that were not given are off, absent or empty", () => {
  const args = parse("a");
  expect([args.switch("close"), args.text("cwd"), args.texts("set"), args.count("tail", 0)]).toEqual([
    false,
    undefined,
    [],
    undefined,
  ]);
});

test.each([
  ["an unknown flag", ["a", "--sett", "k"]],
  ["an unknown short flag", ["a", "-x"]],
  ["a flag without its value", ["a", "--cwd"]],
  ["a value for a switch", ["a", "--close=yes"]],
  ["too few words", []],
  ["too many words", ["a", "b", "c"]],
])("%s is a usage error", (_what, words) => {
  expect(() => parse(...words)).toThrow(expect.objectContaining(usage) as Error);
});

test.each([
  ["do <what> [more]", 0, "<what>"],
  ["agent set <session> option=value…", 1, "option=value…"],
  ["agent permit ls | show <request> | allow <request>", 0, "ls or show or allow"],
  ["agent permit ls | show <request> | allow <request>", 1, "<request>"],
  ["completion bash|zsh|fish", 0, "bash|zsh|fish"],
])("a missing word is named as in the usage: %s", (line, given, name) => {
  const words = Array.from({ length: given }, () => "word");
  const spec = { flags, positionals: { min: given + 1, max: 3 }, usage: line };
  expect(() => parseArguments(words, spec)).toThrow(`${name} is missing; usage: mix ${line}`);
});

test("a word missing from a form that was begun is named as in that form", () => {
  const spec = { flags, positionals: { min: 1, max: 3 }, usage: "notify ls [ask] | answer <ask> <option> | watch" };
  expect(() => parseArguments(["answer"], spec).word(1)).toThrow("<ask> is missing; usage: mix notify ls");
  expect(() => parseArguments(["answer", "k3w"], spec).word(2)).toThrow("<option> is missing; usage: mix notify ls");
});

test("after -- everything is a word, even if it looks like a flag, and - is a word", () => {
  expect(parse("-", "--", "--close").positionals).toEqual(["-", "--close"]);
});

test("--help works although words are missing", () => {
  expect(parse("--help").switch("help")).toBe(true);
});

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["2h", 7_200_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["24d", 2_073_600_000],
])("the time %s is %s ms", (text, ms) => {
  expect(parse("a", `--timeout=${text}`).duration("timeout")).toBe(ms);
});

test.each(["25d", "0s", "-1s", "10", "none"])("the time %s is refused in the words of the instance's file", (text) => {
  const { reason } = readDuration(text) as { reason: string };
  const message = expect.stringContaining(`--timeout: ${reason}`) as string;
  const refused = expect.objectContaining({ ...usage, message }) as Error;
  expect(() => parse("a", `--timeout=${text}`).duration("timeout")).toThrow(refused);
});

test("an empty text, an invalid count and an invalid duration are usage errors", () => {
  expect(() => parse("a", "--cwd", "").text("cwd")).toThrow(expect.objectContaining(usage) as Error);
  for (const text of ["-1", "1.5", "x", "0"]) {
    expect(() => parse("a", `--tail=${text}`).count("tail", 1)).toThrow(expect.objectContaining(usage) as Error);
  }
  expect(() => parse("a", "--timeout", "10").duration("timeout")).toThrow(expect.objectContaining(usage) as Error);
  expect(parse("a", "--timeout", "10m").duration("timeout")).toBe(600_000);
});

test("an assignment is split at its first equals sign, and must have a name", () => {
  expect(assignment("a=b=c")).toEqual(["a", "b=c"]);
  expect(assignment("a=")).toEqual(["a", ""]);
  for (const word of ["a", "=b"]) expect(() => assignment(word)).toThrow(expect.objectContaining(usage) as Error);
});

test("a JSON value is sent as JSON, and everything else as text", () => {
  const values = ["3", "007", "true", "null", "[1]", '{"a":1}', '"3"', "hi", ""].map(jsonOrText);
  expect(values).toEqual([3, "007", true, null, [1], { a: 1 }, "3", "hi", ""]);
  expect(["true", "false", "on", "1"].map(optionValue)).toEqual([true, false, "on", "1"]);
});

test("a flag that takes known words refuses any other, and may take several of them", () => {
  const asked = (...words: string[]) =>
    parseArguments(words, { usage: "x", flags: { for: { kind: "texts", about: "" } } });
  const known = ["idle", "ended"] as const;
  expect(asked("--for", "idle,ended", "--for", "idle").choices("for", known)).toEqual(["idle", "ended", "idle"]);
  expect(asked().choices("for", known)).toEqual([]);
  expect(() => asked("--for", "idle,over").choices("for", known)).toThrow("--for takes idle, ended, not over");
  const colour = (...words: string[]) =>
    parseArguments(words, { usage: "x", flags: { color: { kind: "text", about: "" } } }).choice("color", ["auto"]);
  expect([colour(), colour("--color", "auto")]).toEqual([undefined, "auto"]);
  expect(() => colour("--color", "maybe")).toThrow("--color takes auto, not maybe");
});
