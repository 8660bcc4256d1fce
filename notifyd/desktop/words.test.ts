// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { NotifyAsk } from "../../agentd/vocabulary/index.ts";
import { askWords, buttonLabel } from "./words.ts";

test.each([
  ["allow_once", "Allow always", "Allow once (Allow always)"],
  ["allow_always", "Yes, just this time", "Allow always (Yes, just this time)"],
  ["reject_once", "Reject once", "Reject once"],
  ["reject_once", "", "Reject once"],
  ["self_destruct", "Fine", "Other: self_destruct (Fine)"],
  ["allow_once", "a\u202eb\u0007\nc", "Allow once (a\\u{202e}b\\u{7} ⏎ c)"],
])("a button of kind %s that is called %j says %j", (kind, label, said) => {
  expect(buttonLabel({ option: "x", kind, label })).toBe(said);
});

test("the body is escaped as markup, keeps its lines and says who asks by the stamped name", () => {
  const [title, body] = askWords(ask({ title: "<b>Read\u0000</b>", body: "cat <a> & \u001b[2J\nx" }), false);
  expect(title).toBe("<b>Read\\u{0}</b>");
  expect(body).toBe("cat &lt;a&gt; &amp; \\u{1b}[2J\nx\nfrom agent (agentd/abc)");
});

test("long texts are cut, and where there are no buttons it is said how to answer", () => {
  const [title, body] = askWords(ask({ title: "t".repeat(500), body: "😀".repeat(4000) }), true);
  expect(title).toHaveLength(120);
  expect(Array.from(body.split("\n")[0] ?? "")).toHaveLength(2_000);
  expect(body).toContain("mix notify answer a1 &lt;option&gt;");
});

function ask(some: Partial<NotifyAsk>): NotifyAsk {
  return {
    ask: "a1",
    source: "agent",
    label: "agentd/abc",
    ref: "r",
    title: "t",
    body: "",
    options: [],
    asked_at: "",
    expires_at: null,
    state: "open",
    ...some,
  } as NotifyAsk;
}
