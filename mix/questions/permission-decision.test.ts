// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { decisionFor } from "./permission-decision.ts";

const kinds = ["allow_once", "allow_always", "reject_once", "reject_always", "something_new"];
const choices = fc.uniqueArray(fc.record({ option: fc.string(), name: fc.string(), kind: fc.constantFrom(...kinds) }), {
  selector: ({ option }) => option,
  maxLength: 6,
});

test("allow chooses only the single option that allows once", () => {
  fc.assert(
    fc.property(choices, (options) => {
      const once = options.filter(({ kind }) => kind === "allow_once");
      if (once.length === 1) expect(decisionFor("allow", options, undefined)).toEqual({ option: once[0]?.option });
      else expect(() => decisionFor("allow", options, undefined)).toThrow(/--option/);
    }),
  );
});

test("deny never chooses an option that allows", () => {
  fc.assert(
    fc.property(choices, (options) => {
      const decision = decisionFor("deny", options, undefined);
      const first = options.find(({ kind }) => kind === "reject_once");
      expect(decision).toEqual(first === undefined ? { cancelled: true } : { option: first.option });
    }),
  );
});

test("names decide nothing: an allow_always that is named once is not chosen", () => {
  const options = [{ option: "a", name: "Allow once", kind: "allow_always" }];
  expect(() => decisionFor("allow", options, undefined)).toThrow(/no option allows once/);
});

test("allow and deny refuse a named option of the other kind, and only allow takes an unknown kind", () => {
  fc.assert(
    fc.property(choices, (options) => {
      for (const { option, kind } of options) {
        const rejects = kind.startsWith("reject_");
        const [right, wrong] = rejects ? (["deny", "allow"] as const) : (["allow", "deny"] as const);
        expect(decisionFor(right, options, option)).toEqual({ option });
        expect(() => decisionFor(wrong, options, option)).toThrow(expect.objectContaining({ code: "USAGE" }) as Error);
      }
    }),
  );
});

test("a named option is taken if it is offered, and otherwise refused before agentd is asked", () => {
  const options = [{ option: "always", name: "Always", kind: "allow_always" }];
  expect(decisionFor("allow", options, "always")).toEqual({ option: "always" });
  expect(() => decisionFor("deny", options, "never")).toThrow(
    expect.objectContaining({ code: "OPTION_UNKNOWN" }) as Error,
  );
});
