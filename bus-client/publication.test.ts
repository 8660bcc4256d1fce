// SPDX-License-Identifier: MIT OR Apache-2.0

import { assert, boolean, constantFrom, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { publicationWriter } from "./publication.ts";
import { replyFailure, replyOf } from "./reply.ts";
import { serialise } from "./wire.ts";

test("a publication built from cached halves equals the text that serialise writes", () => {
  const writers = new Map([undefined, "agent"].map((from) => [from, publicationWriter(from)]));
  assert(
    property(
      constantFrom(undefined, "agent"),
      constantFrom("a.b", "agent.event", "id: 0", "grüße"),
      constantFrom(undefined, "other.command"),
      boolean(),
      string({ maxLength: 30 }),
      integer({ min: 1, max: 99_999 }),
      (from, topic, command, retain, body, id) => {
        const { before, after } = writers.get(from)!(topic, body, {
          retain,
          ...(command === undefined ? {} : { command }),
        });
        const headers = {
          command: "topic.publish",
          id: String(id),
          name: topic,
          retain: String(retain),
          to: "noded",
          type: "request",
        };
        const inner = serialise({ headers: { command: command ?? topic }, body });
        expect(before + String(id) + after).toBe(
          serialise({ headers: from === undefined ? headers : { ...headers, from }, body: inner }),
        );
      },
    ),
  );
});

test("a body in bytes is published like the same text", () => {
  const write = publicationWriter("agent");
  const words = string({ unit: constantFrom("a", "}", "é", "😀", "\n", " ", "\u0085", "\u3000", "-"), maxLength: 12 });
  assert(
    property(words, constantFrom("", "\n", "}\n"), (start, end) => {
      const whole = write("a.b", start + end);
      const { before, after, body } = write("a.b", Buffer.from(start + end));
      expect(before).toBe(whole.before);
      expect(after + (body?.toString() ?? "")).toBe(whole.after);
      if (end === "}\n") expect(body).toBeDefined();
      // A broker writes these bytes again as they are, so nothing that a reader trims may be in them.
      if (body !== undefined)
        expect(serialise({ headers: { a: "b" }, body: body.toString().trimEnd() })).toContain(
          `\n---\n${body.toString()}`,
        );
    }),
  );
});

test("a topic or command that would add headers is refused, and the next publication is unaffected", () => {
  const write = publicationWriter("agent");
  expect(() => write("a\nto: other", "x")).toThrow("line break");
  expect(() => write("a", "x", { command: "b\n---\n" })).toThrow("line break");
  expect(write("a", "x").after).toContain("\nname: a\n");
});

test("the text of a failure comes from the header, else from the forms of the body, else is the body", () => {
  const failure = (body: string, headers: Record<string, string> = {}) =>
    replyFailure(replyOf({ headers: { rc: "10", ...headers }, body }));
  const coded = '{"error_code":"CODE","message":"text","error":"older"}';
  expect(failure(coded, { error: "header" })).toEqual({ code: "CODE", message: "header" });
  expect(failure(coded)).toEqual({ code: "CODE", message: "CODE: text" });
  expect(failure('{"error":"older"}')).toEqual({ code: undefined, message: "older" });
  expect(failure("plain")).toEqual({ code: undefined, message: "plain" });
  expect(failure("{broken")).toEqual({ code: undefined, message: "{broken" });
  expect(failure("")).toEqual({ code: undefined, message: "unknown error" });
  expect(replyFailure(replyOf({ headers: { rc: "5" }, body: coded }))).toBeUndefined();
});
