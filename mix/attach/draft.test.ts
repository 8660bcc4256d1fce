// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Key } from "node:readline";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Draft, draftOf, emptyDraft, insert, moveDown, moveUp } from "./draft.ts";
import { keyMeaning } from "./line-keys.ts";
import { LineHistory } from "./line-history.ts";

/** `|` is the cursor. */
function draft(marked: string): Draft {
  return { text: marked.replace("|", ""), cursor: marked.indexOf("|") };
}
function written({ text, cursor }: Draft): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}
function press(before: Draft, key: Key, typed?: string): Draft {
  const meaning = keyMeaning(before, key, typed);
  return meaning.kind === "edit" ? meaning.draft : before;
}

test.each<[string, string, Key]>([
  ["a|b", "|ab", { name: "left" }],
  ["e\u0301|", "|e\u0301", { name: "left" }],
  ["|👩‍🚀!", "👩‍🚀|!", { name: "right" }],
  ["日本|", "日|", { name: "backspace" }],
  ["e\u0301|", "|", { name: "backspace" }],
  ["one\n|two", "one|two", { name: "backspace" }],
  ["|ab", "|b", { name: "delete" }],
  ["one\ntwo|", "one\n|two", { name: "a", ctrl: true }],
  ["one\nt|wo\nthree", "one\ntwo|\nthree", { name: "end" }],
  ["one\ntwo|", "one\n|", { name: "u", ctrl: true }],
  ["o|ne\ntwo", "o|\ntwo", { name: "k", ctrl: true }],
  ["git push --force|", "git push |", { name: "w", ctrl: true }],
  ["git push --force|", "git push --|", { name: "backspace", meta: true }],
  ["one, |two", "|one, two", { name: "b", meta: true }],
  ["|one, two", "one|, two", { name: "right", ctrl: true }],
])("%j becomes %j", (before, after, key) => {
  expect(written(press(draft(before), key))).toBe(after);
});

test.each([
  ["enter", { name: "return" }],
  ["enter", { name: "enter" }],
  ["new-line", { name: "return", meta: true }],
  ["new-line", { name: "undefined", sequence: "\u001b[13;2u" }],
  ["interrupt", { name: "c", ctrl: true }],
  ["suspend", { name: "z", ctrl: true }],
  ["complete", { name: "tab" }],
  ["older", { name: "p", ctrl: true }],
] as const)("%s", (kind, key) => {
  expect(keyMeaning(emptyDraft, key).kind).toBe(kind);
});

test("Ctrl-D ends an empty line, and deletes in any other", () => {
  expect(keyMeaning(emptyDraft, { name: "d", ctrl: true }).kind).toBe("end");
  expect(written(press(draft("|ab"), { name: "d", ctrl: true }))).toBe("|b");
});

test("Up and Down keep their column over shorter lines and wide characters", () => {
  const from = draft("0123456\nab\n日本語日本");
  const end = moveUp(draftOf(from.text)) ?? emptyDraft;
  expect(written(end)).toBe("0123456\nab|\n日本語日本");
  expect(written(moveUp(end) ?? emptyDraft)).toBe("0123456|\nab\n日本語日本");
  expect(moveUp(moveUp(end) ?? emptyDraft)).toBeUndefined();
  const back = moveDown(moveUp(end) ?? emptyDraft) ?? emptyDraft;
  expect(written(moveDown(back) ?? emptyDraft)).toBe("0123456\nab\n日本語日本|");
});

const keys: Key[] = ["left", "right", "home", "end", "backspace", "delete"].map((name) => ({ name }));
for (const name of "abefhkuw") keys.push({ name, ctrl: true });
for (const name of ["b", "f", "d", "backspace"]) keys.push({ name, meta: true });

test("whatever is pressed, the cursor stays within the text, and between two characters", () => {
  const character = fc.constantFrom("a", " ", "\n", "日", "e\u0301", "👩‍🚀", "🇩🇪", "\u0301");
  fc.assert(
    fc.property(fc.array(fc.oneof(character, fc.constantFrom(...keys))), (steps) => {
      let now = emptyDraft;
      for (const step of steps) {
        now = typeof step === "string" ? insert(now, step) : press(now, step);
        for (const moved of [moveUp(now), moveDown(now), now]) {
          if (moved === undefined) continue;
          expect(moved.text).toBe(now.text);
          expect(moved.cursor).toBeGreaterThanOrEqual(0);
          expect(moved.cursor).toBeLessThanOrEqual(moved.text.length);
          expect(moved.text.slice(0, moved.cursor)).not.toMatch(/\p{Surrogate}/u);
        }
      }
    }),
  );
});

test("earlier prompts come back one by one, the newest first, and then the text that was being written", () => {
  const history = new LineHistory();
  history.add("three");
  for (const text of ["two", "two", "one"]) history.addOlder(text);
  const seen = [1, 2, 3, 4].map(() => history.older(draftOf("half"))?.text);
  expect(seen).toEqual(["three", "two", "one", undefined]);
  expect([1, 2, 3, 4].map(() => history.newer()?.text)).toEqual(["two", "three", "half", undefined]);
});

test("the history is bounded, in number and in length", () => {
  const history = new LineHistory();
  for (let number = 0; number < 150; number += 1) history.add(`prompt ${number}`);
  expect(history.addOlder("one more")).toBe(false);
  let count = 0;
  while (history.older(emptyDraft) !== undefined) count += 1;
  expect(count).toBe(100);
  const long = "x".repeat(5 * 1024 * 1024);
  history.add(`a${long}`);
  history.add(`b${long}`);
  expect([history.older(emptyDraft)?.text[0], history.older(emptyDraft)]).toEqual(["b", undefined]);
});
