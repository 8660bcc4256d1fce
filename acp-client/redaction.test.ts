// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { redactError, redactEvent, redactAuthMethods, redactSample, redactValue } from "./redaction.ts";
import { parseJson, RawJson } from "../json/raw-json.ts";

const redact = (text: string): string => text.replaceAll("s3cret", "[redacted]");

test("a secret at the end of a sample is redacted before truncation", () => {
  expect(redactSample("key s3cret", 7, redact)).toBe("key [re");
  expect(redactSample("key s3cret", 100, redact)).toBe("key [redacted]");
  expect(redactSample("x".repeat(1_000_000), 10, redact)).toBe("x".repeat(10));
});

test("secrets are redacted in every string and member name of a value, and nothing else changes", () => {
  const value = { a: ["s3cret", 1, null, true], "of s3cret": { b: "no", c: "the s3cret!" } };
  expect(redactValue(value, redact)).toEqual({
    a: ["[redacted]", 1, null, true],
    "of [redacted]": { b: "no", c: "the [redacted]!" },
  });
});

test("long data is not copied, and of a long error's data the redacted beginning is reported", () => {
  const data = { many: Array.from({ length: 700_000 }, () => 0), text: "x".repeat(700_000), key: "s3cret" };
  const event = { type: "update", update: { kind: "extension", method: "_x/s3cret", data } } as const;
  const told = redactEvent(event, redact);
  expect(told.type === "update" && told.update.kind === "extension" && told.update.method).toBe("_x/[redacted]");
  expect(told.type === "update" && told.update.kind === "extension" && told.update.data === data).toBe(true);
  const long = { key: "s3cret", rest: "x".repeat(2_000_000) };
  const { data: sample } = redactError({ code: 1, message: "no s3cret", data: long }, redact);
  expect(sample).toMatch(/^\{"key":"\[redacted\]"/);
});

test("a login method's id is sent back to the agent, so it is not redacted", () => {
  const methods = [{ id: "s3cret-login", name: "with s3cret", type: "agent" }] as const;
  expect(redactAuthMethods(methods, redact)).toEqual([{ id: "s3cret-login", name: "with [redacted]", type: "agent" }]);
});

test("a secret number that is kept as text is redacted, and other numbers are unchanged", () => {
  const digits = (text: string): string => text.replaceAll("1193820475610234881", "[redacted]");
  const data = parseJson('{"secret":[1193820475610234881],"id":1193820475610234882}');
  expect(redactValue(data, digits)).toEqual({ secret: ["[redacted]"], id: new RawJson("1193820475610234882") });
});
