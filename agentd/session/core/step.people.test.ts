// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Elicitation } from "../../../acp-client/model.ts";
import type { EntryContent, PermissionEntry } from "../../vocabulary/index.ts";
import { phaseOf } from "./state.ts";
import { SessionScript } from "./testing/session-script.ts";

const request = "aaaaaaaaaaaa-1";

function asking(people: SessionScript["people"] = "there"): SessionScript {
  const script = new SessionScript();
  script.people = people;
  script.up();
  script.prompt("one");
  script.asks(0);
  return script;
}

const asksOf = (script: SessionScript) => script.effects.filter(({ type }) => type === "ask_people");
const withdrawalsOf = (script: SessionScript) => script.effects.filter(({ type }) => type === "withdraw_ask");
const resolvedOf = (entries: readonly EntryContent[]) =>
  entries.filter((entry): entry is PermissionEntry => entry.kind === "permission" && entry.phase === "resolved");
const diagnosticsOf = (script: SessionScript) => script.entries.filter(({ kind }) => kind === "diagnostic");

test.each([
  ["there", true, 1],
  ["away", false, 1],
  ["off", false, 0],
] as const)("with the service %s, the log says notified %s and %s ask is sent", (people, notified, asks) => {
  const script = asking(people);
  expect(script.entries.find((entry) => entry.kind === "permission")).toMatchObject({ phase: "requested", notified });
  expect(asksOf(script)).toHaveLength(asks);
  script.command("agent.permission.answer", { request, cancelled: true });
  expect(withdrawalsOf(script)).toHaveLength(asks);
});

test.each([
  [["/a"], ["/a"], ["in /work", "/a", "+ one"]],
  [["/b"], ["/a"], ["in /work", "/b", "/a", "+ one"]],
  [
    ["/a", "/b"],
    ["/a", "/b"],
    ["in /work", "/a", "/b", "/a", "+ one", "/b", "+ one"],
  ],
  [["/work/src/a"], ["/work/src/a"], ["in /work", "src/a", "+ one"]],
  [["/work/src/a"], ["/work/b"], ["in /work", "src/a", "b", "+ one"]],
  [["/work/../a"], ["/work/../a"], ["in /work", "/work/../a", "+ one"]],
  [["/work//a"], ["/workshop/a"], ["in /work", "/work//a", "/workshop/a", "+ one"]],
])(
  "an ask with the locations %j and changes of %j repeats a path only if it names several, and is short in the directory",
  (places, changed, body) => {
    const script = new SessionScript();
    script.people = "there";
    script.up();
    script.prompt("one");
    const content = changed.map((path) => ({ type: "diff", path, oldText: null, newText: "one" }));
    const toolCall = { toolCallId: "t", kind: "edit", locations: places.map((path) => ({ path })), content };
    const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
    script.says({ type: "permission", request: 0, toolCall, options });
    expect(asksOf(script)).toMatchObject([{ type: "ask_people", body: body.join("\n"), incomplete: false }]);
  },
);

test.each([
  ["a short command", { title: "ls", rawInput: { command: "ls" } }, false],
  ["an input that is cut", { title: "ls", rawInput: { command: "x".repeat(2_000) } }, true],
  ["a title that is cut", { title: "x".repeat(600) }, true],
  ["paths that are too many", { locations: Array.from({ length: 9 }, (_, n) => ({ path: `/a/${n}` })) }, true],
  ["a small change", { content: [{ type: "diff", path: "/a", oldText: null, newText: "one\ntwo" }] }, false],
  [
    "a change that is cut",
    { content: [{ type: "diff", path: "/a", oldText: null, newText: "y".repeat(2_000) }] },
    true,
  ],
])("the ask about %s says whether something is left out", (_what, call, incomplete) => {
  const script = new SessionScript();
  script.people = "there";
  script.up();
  script.prompt("one");
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  script.says({ type: "permission", request: 0, toolCall: { toolCallId: "t", kind: "execute", ...call }, options });
  const [ask] = asksOf(script);
  if (ask?.type !== "ask_people") throw new Error("nobody was asked");
  expect(ask.incomplete).toBe(incomplete);
  expect(ask.body.includes(`mix agent permit show ${request}`)).toBe(incomplete);
  if ("content" in call && !incomplete) expect(ask.body).toContain("+ one\n+ two");
});

test("an input is left out only if it equals the tool's title", () => {
  const script = new SessionScript();
  script.people = "there";
  script.up();
  script.prompt("one");
  const toolCall = { toolCallId: "t", kind: "execute", title: "`ls`", rawInput: { command: "ls", after: "l" } };
  script.says({
    type: "permission",
    request: 0,
    toolCall,
    options: [{ optionId: "y", name: "Y", kind: "allow_once" }],
  });
  const [ask] = asksOf(script);
  expect(ask).toMatchObject({ body: expect.stringMatching(/\{"after":"l"\}$/u), incomplete: false });
});

test("an ask names agent, session and kind before the agent's words, within notify's limits", () => {
  const script = new SessionScript({ name: "fix" });
  script.people = "there";
  script.up();
  script.prompt("one");
  const options = [{ optionId: "y", name: "n".repeat(5_000), kind: "k".repeat(500) }];
  const toolCall = {
    toolCallId: "t",
    title: "\ud83d\ude00".repeat(5_000),
    kind: "execute",
    rawInput: { command: "x".repeat(9_000) },
  };
  script.says({ type: "permission", request: 0, toolCall, options });
  const [ask] = asksOf(script);
  if (ask?.type !== "ask_people") throw new Error("nobody was asked");
  expect(ask.title).toMatch(/^test \(.*\) asks to execute: /u);
  expect(ask.title.length).toBeLessThanOrEqual(512);
  expect(Buffer.from(ask.title).toString()).toBe(ask.title);
  expect(ask.body.length).toBeLessThanOrEqual(4_096);
  expect(ask.body).toContain(`mix agent permit show ${request}`);
  expect(ask.options[0]).toMatchObject({ option: "y", label: expect.stringMatching(/^n{511}…$/u) });
});

test("a person's answer through notify is logged under their name before it is sent", () => {
  const script = asking();
  const entries = script.put({ type: "people_answered", request, option: "allow_once-0", by: "mix-abcdef" });
  expect(resolvedOf(entries)).toEqual([
    expect.objectContaining({ option: "allow_once-0", via: "notify", by: "mix-abcdef" }),
  ]);
  expect(script.effects.at(-1)).toMatchObject({
    type: "answer_request",
    answer: { outcome: "selected", option: "allow_once-0" },
  });
  expect(withdrawalsOf(script)).toEqual([{ type: "withdraw_ask", request, reason: "notify" }]);
  expect(phaseOf(script.state)).toBe("running");
});

test("an answer on the desktop, which no citizen gave, is logged under notify", () => {
  const script = asking();
  const entries = script.put({ type: "people_answered", request, option: "reject_once-1", by: null });
  expect(resolvedOf(entries)).toEqual([expect.objectContaining({ via: "notify", by: "notify" })]);
});

test.each([
  ["an option that was not offered", "invented", "mix-abcdef", "was not offered"],
  ["a yes of an agent's own program", "allow_once-0", "mcp-s-aaaaaaaaaaaa-abcd", "may not answer for people"],
])("%s answers nothing: it is logged, and the request stays pending", (_, option, by, why) => {
  const script = asking();
  script.put({ type: "people_answered", request, option, by });
  expect(script.state.requests).toHaveLength(1);
  expect(diagnosticsOf(script)).toEqual([
    expect.objectContaining({ what: "answer-unused", request, message: expect.stringContaining(why) }),
  ]);
});

test("an allow for a closed request is logged and not used", () => {
  const script = asking();
  script.cancel();
  const entries = script.put({ type: "people_answered", request, option: "allow_once-0", by: "mix-abcdef" });
  expect(resolvedOf(script.entries)).toHaveLength(1);
  expect(entries).toEqual([
    expect.objectContaining({
      what: "answer-unused",
      message: expect.stringContaining("already closed by cancel (tester)"),
    }),
  ]);
});

test("a failed ask is logged once, and the request stays pending", () => {
  const script = asking();
  script.put({ type: "people_not_asked", request, message: "it is not on the Bus" });
  expect(diagnosticsOf(script)).toHaveLength(1);
  expect(phaseOf(script.state)).toBe("waiting");
  script.command("agent.permission.answer", { request, option: "allow_once-0" });
  expect(script.put({ type: "people_not_asked", request, message: "again" })).toEqual([]);
});

const address = (url: string): Elicitation => ({ mode: "url", message: "Log in", url, elicitationId: "e" });
const form: Elicitation = { mode: "form", message: "Who?", schema: { properties: { name: { type: "string" } } } };

test.each([
  [
    "an address that can be shown whole",
    address("https://good.example@evil.example/x"),
    ["accept", "decline"],
    "evil.example",
  ],
  ["one that cannot", address(`https://a.example/${"x".repeat(2_000)}`), ["decline"], `mix agent answer ${request}`],
  ["a form", form, ["decline"], `mix agent answer ${request}`],
])("people asked about %s are offered what they can decide there", (_, asked, offered, shown) => {
  const script = eliciting(asked);
  const [ask] = asksOf(script);
  if (ask?.type !== "ask_people") throw new Error("nobody was asked");
  expect(ask.options.map(({ option }) => option)).toEqual(offered);
  expect(ask.options.map(({ label }) => label)).not.toContain("");
  expect(`${ask.title}\n${ask.body}`).toContain(shown);
  expect(script.entries.find((entry) => entry.kind === "elicitation")).toMatchObject({ notified: true });
});

test.each([
  [address("https://a.example/"), "accept", "accept"],
  [address("https://a.example/"), "decline", "decline"],
  [form, "decline", "decline"],
])("an elicitation is answered through notify: %j by %s", (asked, option, outcome) => {
  const script = eliciting(asked);
  const [resolved] = script.put({ type: "people_answered", request, option, by: "mix-abcdef" });
  expect(resolved).toMatchObject({ kind: "elicitation", phase: "resolved", outcome, via: "notify", by: "mix-abcdef" });
  expect(script.effects.at(-1)).toMatchObject({ type: "answer_request", answer: { outcome } });
  expect(withdrawalsOf(script)).toHaveLength(1);
});

test("an elicitation's message is in the title, truncated to its limit", () => {
  const [ask] = asksOf(eliciting({ ...form, message: `Who are you? ${"x".repeat(1_000)}` }));
  if (ask?.type !== "ask_people") throw new Error("nobody was asked");
  expect(ask.title).toContain("asks for: Who are you?");
  expect(ask.title.length).toBeLessThanOrEqual(512);
});

test("a form is never accepted through notify, where it cannot be filled in", () => {
  const script = eliciting(form);
  script.put({ type: "people_answered", request, option: "accept", by: "mix-abcdef" });
  expect(script.state.requests).toHaveLength(1);
  expect(diagnosticsOf(script)).toHaveLength(1);
});

test("an answer after the expiry is not used, and the timer still ends the request without an allow", () => {
  const script = asking();
  script.now += 600_000;
  script.put({ type: "people_answered", request, option: "allow_once-0", by: "mix-abcdef" });
  expect(resolvedOf(script.entries)).toEqual([]);
  expect(diagnosticsOf(script)).toMatchObject([
    { what: "answer-unused", message: expect.stringContaining("had expired") },
  ]);
  script.put({ type: "timer", timer: "request", key: request });
  expect(resolvedOf(script.entries)).toMatchObject([{ option: "reject_once-1", via: "timeout" }]);
});

function eliciting(asked: Elicitation): SessionScript {
  const script = new SessionScript();
  script.people = "there";
  script.up();
  script.prompt("one");
  script.says({ type: "elicitation", request: 0, asked });
  return script;
}

test("a request ends once and is withdrawn once, and only a person's answer allows", () => {
  const endings = {
    timeout: (script: SessionScript) => script.put({ type: "timer", timer: "request", key: request }),
    cancel: (script: SessionScript) => script.cancel(),
    close: (script: SessionScript) => script.command("agent.session.close", {}),
    exit: (script: SessionScript) => script.exits(),
    withdrawn: (script: SessionScript) => script.says({ type: "withdrawn", request: 0 }),
    stop: (script: SessionScript) => script.put({ type: "stop" }),
    turnEnd: (script: SessionScript) => script.answered(1),
    permit: (script: SessionScript) => script.command("agent.permission.answer", { request, option: "reject_once-1" }),
    notify: (script: SessionScript) =>
      script.put({ type: "people_answered", request, option: "allow_once-0", by: "mix-abcdef" }),
  };
  const names = Object.keys(endings) as (keyof typeof endings)[];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }), (order) => {
      const script = asking();
      for (const name of order) endings[name](script);
      const resolved = resolvedOf(script.entries);
      expect(resolved).toHaveLength(1);
      expect(
        withdrawalsOf(script).filter((effect) => effect.type === "withdraw_ask" && effect.reason !== "not used"),
      ).toHaveLength(1);
      const isYes = resolved[0]?.option === "allow_once-0";
      expect(isYes).toBe(order[0] === "notify");
      const unused = order.slice(1).filter((name) => name === "notify").length;
      expect(diagnosticsOf(script).filter((entry) => "what" in entry && entry.what === "answer-unused")).toHaveLength(
        unused,
      );
    }),
  );
});
