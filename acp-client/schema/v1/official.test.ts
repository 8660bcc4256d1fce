// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares our decoders with the official schema of ACP v1: by samples of its types, and by its members.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { objections, officialSchema } from "../../testing/official-schema.ts";
import { readers, shapes } from "../../testing/received-types.ts";
import { knownVariants } from "./update.ts";

interface Sample {
  readonly type: string;
  readonly valid: boolean;
  readonly value: unknown;
}

const samples = JSON.parse(
  readFileSync(new URL("../../../test/data/acp-golden/v1.json", import.meta.url), "utf8"),
) as Sample[];

test.for(samples.filter(({ type, valid }) => valid && type in readers))(
  "the valid $type is decoded: $value",
  (sample) => {
    expect(readers[sample.type]?.(sample.value)).toBeDefined();
  },
);

test("no decoder throws for any sample, valid or not", () => {
  for (const { value } of samples) {
    for (const read of Object.values(readers)) expect(() => read(value)).not.toThrow();
  }
});

test("the samples are valid or invalid as declared", () => {
  for (const { type, valid, value } of samples)
    expect([value, objections(type, value).length === 0]).toEqual([value, valid]);
});

function membersOf(type: string): string[] {
  const { properties = {} } = officialSchema.$defs[type] as { properties?: object };
  return Object.keys(properties);
}

test.for(Object.keys(shapes))("we know every member that the schema gives %s", (type) => {
  expect(membersOf(type).length).toBeGreaterThan(0);
  for (const shape of shapes[type] ?? []) {
    expect(Object.keys(shape.shape)).toEqual(expect.arrayContaining(membersOf(type)));
  }
});

test("we know every variant of session/update that the schema has", () => {
  const union = officialSchema.$defs["SessionUpdate"] as {
    oneOf: { properties: { sessionUpdate: { const: string } } }[];
  };
  const variants = union.oneOf.map((variant) => variant.properties.sessionUpdate.const);
  expect(variants).toHaveLength(14);
  expect([...knownVariants].sort()).toEqual(variants.sort());
});
