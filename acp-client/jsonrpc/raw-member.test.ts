// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rawMember } from "./raw-member.ts";

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
