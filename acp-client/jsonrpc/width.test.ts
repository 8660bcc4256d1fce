// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hasMoreValuesThan, outlineMessage } from "./width.ts";

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + countOf(item), 1);
}

/** Expects exactly so many values. The spaces make the text long enough to be counted. */
function expectValues(text: string, values: number): void {
  const long = text + " ".repeat(2 * values);
  expect({ text, wider: hasMoreValuesThan(long, values) }).toEqual({ text, wider: false });
  expect({ text, wider: hasMoreValuesThan(long, values - 1) }).toEqual({ text, wider: true });
}

test("the count equals the number of values that JSON.parse creates", () => {
  const texts = fc.string({ unit: fc.constantFrom("\\", '"', ",", "[", "]", "{", "}", "a", " ") });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(0, -1.5e9, true, null),
      texts,
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(texts, tie("value"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, "\t"), (tree, indent) => {
      const text = JSON.stringify(tree, undefined, indent);
      expectValues(text, countOf(tree));
      // Too short to be counted, or counted: the answer is the same.
      expect(hasMoreValuesThan(text, countOf(tree) - 1)).toBe(true);
      expect(hasMoreValuesThan(text, countOf(tree))).toBe(false);
    }),
  );
});

test.for<[string, number]>([
  ["[]", 1],
  ["[ \t]", 1],
  ["[1]", 2],
  ["[{},{}]", 3],
  ['{"a":{"b":[]}}', 3],
  ['["{},[,{}],"]', 2],
  [String.raw`["\",,,\\\",,,","\\",1]`, 4],
  [String.raw`{"\"{,":"\\\\"}`, 2],
])("%s has %i values", ([text, values]) => {
  expectValues(text, values);
});

test("the values of a truncated text are counted up to an unterminated string", () => {
  expectValues('[1,2,{"a":', 5);
  expectValues('[1,2,"a,b,{', 4);
  expectValues(String.raw`[1,2,"a\",b\\\"`, 4);
});

test("source text of many megabytes in a string is one value", () => {
  const text = JSON.stringify({ text: 'if (a["b"]) { c(d, [e]); }\n'.repeat(100_000) });
  expect(hasMoreValuesThan(text, 2)).toBe(false);
});

test("an outline has the members that tell a message's kind, with nested values emptied", () => {
  const wide = "[1,2,[{}]]";
  expect(outlineMessage(` {"jsonrpc":"2.0","params":${wide},"id":1.0,"method":"x"} `)).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "x",
  });
  expect(outlineMessage(`{"id":${wide},"method":${wide},"error":${wide},"result":${wide}}`)).toEqual({
    id: [],
    method: [],
    error: null,
    result: null,
  });
  expect(outlineMessage(wide)).toEqual([]);
});

test("a text that is not a message has no outline", () => {
  for (const text of ["", ",,,", '{"id":1,"method":"x","params":[1,2', "[1,2", "[info] a, b"]) {
    expect(outlineMessage(text)).toBeUndefined();
  }
  expect(() => outlineMessage('{"id":nul}')).toThrow(SyntaxError);
  expect(() => outlineMessage(String.raw`{"\x":1}`)).toThrow(SyntaxError);
});
