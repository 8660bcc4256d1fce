// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../../json/raw-json.ts";
import { rawMember, rawMembers } from "./raw-member.ts";

/** JSON texts in many spellings, with repeated and escaped names. */
const jsonText = fc.letrec<{ value: string; string: string; key: string; members: string }>((tie) => ({
  string: fc
    .array(
      fc.constantFrom(
        " ",
        ..."a é 😀 / \u007f \u2028 { } [ ] , :".split(" "),
        ...String.raw`\n \" \\\\ \/ \u0001 \u001F \u0041 \ud800 \ud83d\ude00`.split(" "),
      ),
      { maxLength: 6 },
    )
    .map((parts) => `"${parts.join("")}"`),
  key: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('"a"', '"p"', '"q"', '""', '"\\u0061"', '"1"', '"__proto__"') },
    tie("string"),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie("string"),
    fc.constantFrom("0", "-0", "1.0", "1e3", "1e400", "9007199254740993", "true", "false", "null"),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.constantFrom(",", " ,\t"))
      .map(([items, comma]) => `[${items.join(comma)}]`),
    tie("members"),
  ),
  members: fc
    .tuple(
      fc.array(fc.tuple(tie("key"), tie("value")), { maxLength: 4 }),
      fc.constantFrom(":", ":", " :\r"),
      fc.constantFrom("", "", " "),
    )
    .map(([members, colon, space]) => `{${space}${members.map((member) => member.join(colon)).join(`,${space}`)}}`),
}));

/** An object in which the path p, q often leads to an object, also more than once. */
const deepText = fc
  .array(
    fc.oneof(
      fc.tuple(jsonText.key, jsonText.value).map((member) => member.join(":")),
      fc.tuple(jsonText.members, jsonText.members).map(([one, two]) => `"p":{"q":${one},"x":1,"q": ${two}}`),
      jsonText.members.map((inner) => ` "p" : { "q":${inner} }`),
    ),
    { maxLength: 4 },
  )
  .map((members) => `{${members.join(",")}}`);

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

test("the texts of inner members parse to the values that parseJson finds there", () => {
  let count = 0;
  fc.assert(
    fc.property(deepText, (line) => {
      const found = rawMembers(line, ["a", "1"], ["p", "q"]);
      const holder = memberOf(memberOf(parseJson(line), "p"), "q");
      for (const name of ["a", "1"] as const) {
        const text = found.get(name);
        expect(text === undefined ? undefined : parseJson(text)).toEqual(memberOf(holder, name));
        if (text !== undefined) count += 1;
      }
    }),
    { numRuns: 5000 },
  );
  expect(count).toBeGreaterThan(500);
});

test("many strings take linear time", () => {
  const text = JSON.stringify(Array.from({ length: 400_000 }, () => 'a"bc'));
  const started = performance.now();
  expect(rawMembers(`{"p":{"a":${text}}}`, ["a"], ["p"]).get("a")).toBe(text);
  // Some 100 ms; a pass over the line for each would be 12 s.
  expect(performance.now() - started).toBeLessThan(3000);
});

test.for(["1.0", "1e3", "9007199254740993", String.raw`"a\u0041"`, "-0", "null", String.raw`"\\\""`, "0", '""'])(
  "the id %s is found as it was written",
  (raw) => {
    expect(rawMember(`{"jsonrpc":"2.0","id":${raw},"method":"x"}`, "id")).toBe(raw);
    expect(rawMember(` { "method" : "x" , "id" : ${raw} } `, "id")).toBe(raw);
  },
);

test("an id inside params is not the message's id", () => {
  expect(rawMember('{"params":{"id":1,"deep":[{"id":2}]},"text":"\\"id\\":3","id":4}', "id")).toBe("4");
  expect(rawMember('{"params":{"id":1}}', "id")).toBeUndefined();
});

test("of two ids the last counts, as in JSON.parse, and escaped names are recognised", () => {
  expect(rawMember('{"id":1,"id":2}', "id")).toBe("2");
  expect(rawMember(String.raw`{"\u0069d":7}`, "id")).toBe("7");
});

test("the raw text of a member parses to the same value as the message's member", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom("id", "method", "params"), fc.string()), fc.jsonValue()),
      fc.constantFrom(undefined, 1, "\t"),
      (message, indent) => {
        const line = JSON.stringify(message, undefined, indent);
        const parsed = JSON.parse(line) as Record<string, unknown>;
        const raw = rawMember(line, "id");
        expect(raw === undefined ? undefined : JSON.parse(raw)).toEqual(
          Object.hasOwn(parsed, "id") ? parsed["id"] : undefined,
        );
      },
    ),
  );
});
