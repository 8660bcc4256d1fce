// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findRepeatedName } from "./repeated-name.ts";
import { valueText } from "./testing/json-texts.ts";

test.for([
  ['{"a":1,"b":2,"a":3}', "a"],
  [String.raw`{"a":1,"\u0061" :2}`, "a"],
  ['[{"x":{"deep":[1,{"a":1,"a":1}]}}]', "a"],
  ['{"a":{"b":1},"a":2}', "a"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
])("%s repeats a name", ([text = "", name]) => {
  expect(findRepeatedName(text)).toBe(name);
});

test.for([
  '{"a":{"a":{"a":["a","a"]}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  String.raw`{"a":"\"a\":1,\"a\":2","b":"{"}`,
  '"a"',
  "{}",
])("%s repeats none", (text) => {
  expect(findRepeatedName(text)).toBeUndefined();
});

test("no text without a repeated name is reported", () => {
  fc.assert(
    fc.property(valueText, (tokens) => {
      expect(findRepeatedName(tokens.join(" "))).toBeUndefined();
    }),
  );
});
