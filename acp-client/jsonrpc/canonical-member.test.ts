// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../json/raw-json.ts";
import { canonicalMember } from "./canonical-member.ts";

/** JSON texts in many spellings, including those of JSON.stringify. */
const jsonText = fc.letrec<{ value: string; string: string; key: string }>((tie) => ({
  string: fc
    .array(
      fc.constantFrom(
        "a",
        "é",
        "😀",
        " ",
        "/",
        "\u007f",
        "\u2028",
        "\\n",
        '\\"',
        "\\\\",
        "\\/",
        "\\u0001",
        "\\u000b",
        "\\u0008",
        "\\u001F",
        "\\u001f",
        "\\u0041",
        "\\ud800",
        "\\ud83d\\ude00",
      ),
      { maxLength: 6 },
    )
    .map((parts) => `"${parts.join("")}"`),
  key: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('"a"', '"b"', '"é"', '""') },
    tie("string"),
    fc.constantFrom('"1"', '"__proto__"'),
  ),
  value: fc.oneof(
    { maxDepth: 3 },
    tie("string"),
    fc.constantFrom("0", "-0", "1.0", "1e3", "1e21", "1e+21", "0.1", "-5", "9007199254740993", "true", "false", "null"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.constantFrom(",", ", "))
      .map(([items, comma]) => `[${items.join(comma)}]`),
    fc
      .tuple(
        fc.array(fc.tuple(tie("key"), tie("value")), { maxLength: 3 }),
        fc.constantFrom(":", ":", ": "),
        fc.constantFrom("", "", " "),
      )
      .map(([members, colon, space]) => `{${space}${members.map((member) => member.join(colon)).join(",")}}`),
  ),
}));

const members = fc.array(fc.tuple(jsonText.key, jsonText.value), { maxLength: 2 });
const space = fc.constantFrom("", "", " ", "\t\r");

function objectText(
  name: string,
  value: string,
  before: [string, string][],
  after: [string, string][],
  gap: string,
): string {
  const all = [...before, [`"${name}"`, value], ...after].map((member) => member.join(`${gap}:${gap}`));
  return `{${gap}${all.join(`${gap},${gap}`)}${gap}}`;
}

const line = fc
  .tuple(jsonText.value, members, members, members, members, space, space)
  .map(([value, one, two, three, four, outer, inner]) =>
    objectText("p", objectText("a", value, one, two, inner), three, four, outer),
  )
  .map((text) => Buffer.from(text).toString());

function taken(text: string): string | undefined {
  const span = canonicalMember(text, ["p", "a"]);
  return span && text.slice(span.start, span.end);
}

test("the text of a member is what stringifyJson writes of its parsed value", () => {
  let count = 0;
  fc.assert(
    fc.property(line, (text) => {
      const read = (parseJson(text) as { p?: { a?: unknown } }).p?.a;
      const found = taken(text);
      if (found === undefined) return;
      count += 1;
      expect(found).toBe(stringifyJson(read));
    }),
    { numRuns: 5000 },
  );
  expect(count).toBeGreaterThan(500);
});

/** Returns the names of all members, at any depth. */
function namesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(namesOf)];
}

test("the output of JSON.stringify is canonical, unless JSON.parse would move its keys", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(
        namesOf(value).every((name) => /^[a-z_ ]*$/i.test(name) && name !== "__proto__") && !text.includes("\\ud"),
      );
      expect(taken(`{"x":[1],"p":{"a":${text},"b":{}}}`)).toBe(text);
    }),
    { maxSkipsPerRun: 1_000 },
  );
  const diff = JSON.stringify([
    { type: "diff", path: "/a", oldText: null, newText: 'if (a < "b") {\n\treturn "\\\\é😀";\n}\u0001' },
  ]);
  expect(taken(`{ "p" : {"a": ${diff} }}`)).toBe(diff);
});

test.for([
  ["the member comes twice", '{"p":{"a":1,"a":1}}'],
  ["its parent comes twice", '{"p":{"a":1},"p":{"a":1}}'],
  ["a key on its path is escaped", '{"p":{"a":1,"\\u0061":2}}'],
  ["it is missing", '{"p":{"b":1}}'],
  ["its parent is not an object", '{"p":["a"]}'],
  ["it exceeds the depth limit", `{"p":{"a":${"[".repeat(40)}${"]".repeat(40)}}}`],
])("a member is not found if %s", ([, text = ""]) => {
  expect(taken(text)).toBeUndefined();
});

test("many strings take linear time", () => {
  const text = JSON.stringify(Array.from({ length: 400_000 }, () => "abc"));
  const started = performance.now();
  expect(taken(`{"p":{"a":${text}}}`)).toBe(text);
  // Some 100 ms; a pass over the line for each would be 12 s.
  expect(performance.now() - started).toBeLessThan(3000);
});
