// SPDX-License-Identifier: MIT OR Apache-2.0
// Arbitraries of JSON texts in all spellings, for property tests.
import * as fc from "fast-check";

const digits = fc.string({ unit: fc.constantFrom("0", "1", "2", "5", "8", "9"), minLength: 1, maxLength: 25 });

/** A number in any spelling that JSON allows. */
export const numberText = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits.map((text) => text.replace(/^0+(?=\d)/, "")),
    fc.option(digits, { nil: "" }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "E-", "e-"), fc.integer({ min: 0, max: 500 })), {
      nil: undefined,
    }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${exponent === undefined ? "" : exponent.join("")}`;
  });

const stringText = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text));

/**
 * A value as a list of tokens. Names are unique, and none looks like an array index, which JSON.parse would reorder.
 */
export const { value: valueText } = fc.letrec<{ value: string[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(numberText, stringText, fc.constantFrom("true", "false", "null")).map((token) => [token]),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => ["[", ...separated(items), "]"]),
    fc
      .uniqueArray(fc.tuple(fc.string({ unit: "grapheme" }), tie("value")), {
        maxLength: 4,
        selector: ([name]) => name,
      })
      .map((members) => [
        "{",
        ...separated(members.map(([name, value]) => [JSON.stringify(`_${name}`), ":", ...value])),
        "}",
      ]),
  ),
}));

function separated(parts: readonly (readonly string[])[]): string[] {
  return parts.flatMap((part, index) => (index === 0 ? [...part] : [",", ...part]));
}
