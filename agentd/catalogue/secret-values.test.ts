// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redactor, secretValues } from "./secret-values.ts";

test("values that a start passed and values named like a secret are secret, others are not", () => {
  const environment = {
    OPENAI_API_KEY: "sk-aaaaaa",
    github_token: "ghp-bbbbbb",
    DB_PASSWORD: "cccccc",
    MY_SECRET_2: "dddddd",
    HOME: "/home/ann",
    EMPTY_TOKEN: "",
    SHORT_KEY: "12345",
    UNSET_KEY: undefined,
  };
  expect(new Set(secretValues(environment, { PLAIN: "eeeeeeee" }))).toEqual(
    new Set(["sk-aaaaaa", "ghp-bbbbbb", "cccccc", "dddddd", "eeeeeeee"]),
  );
});

test("a value under six characters is not redacted", () => {
  expect(redactor(["12345", "", "true"])("12345 true")).toBe("12345 true");
  expect(redactor(["123456"])("123456")).toBe("[redacted]");
});

test("a secret that is a prefix of another does not leave the other's end behind", () => {
  const redact = redactor(["secret", "secret-and-more"]);
  expect(redact("a secret-and-more b secret c")).toBe("a [redacted] b [redacted] c");
});

test("characters that are special in patterns and replacements are taken literally", () => {
  const value = String.raw`$&.*+?^(x)[y]{z}|\d-/$1`;
  expect(redactor([value])(`<${value}>`)).toBe("<[redacted]>");
  expect(redactor(["......"])("abcdef")).toBe("abcdef");
});

test("a secret is found as JSON and URLs encode it", () => {
  const value = `p"ss w/rd\\é`;
  const redact = redactor([value]);
  expect(redact(JSON.stringify({ value }))).toBe(`{"value":"[redacted]"}`);
  expect(redact(`https://x/?k=${encodeURIComponent(value)}`)).toBe("https://x/?k=[redacted]");
});

test("each line of a multi-line key is redacted", () => {
  const redact = redactor(["-----BEGIN-----\r\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n"]);
  expect(redact("kqhkiG9w0BAQEF then MIIEvQIBADANBg")).toBe("[redacted] then [redacted]");
});

test("the number of values is bounded, and the longest are kept", () => {
  const passed = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`N${index}`, "x".repeat(index + 6)]));
  const values = secretValues({}, passed);
  expect(values).toHaveLength(256);
  expect(Math.min(...values.map((value) => value.length))).toBe(150);
});

test("no value is left in a text, whatever the values and wherever they stand", () => {
  // Letters that "[redacted]" does not have, so that no value is found in the replacement itself.
  const letter = fc.constantFrom("x", "y", "Z", "0", "9", " ", '"', "\\", "%", "\n", "\u00e9", "\u{1f511}");
  const value = fc.array(letter, { minLength: 6, maxLength: 20 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), fc.array(letter), (values, between) => {
      const shown = redactor(values)(values.join(between.join("")));
      expect(values.filter((one) => shown.includes(one))).toEqual([]);
    }),
  );
});

test("a text without a secret is unchanged", () => {
  expect(() => fc.assert(fc.property(fc.string(), (text) => redactor([])(text) === text))).not.toThrow();
});

test("in a cut text, the end of a secret at its beginning is redacted too", () => {
  const redact = redactor(["sk-0123456789", "789-longer-0123456789"]);
  expect(redact("0123456789 and on", true)).toBe("[redacted] and on");
  expect(redact("0123456789 and on")).toBe("0123456789 and on");
  expect(redact("6789 and sk-0123456789", true)).toBe("6789 and [redacted]");
  expect(redactor([])("0123456789", true)).toBe("0123456789");
});
