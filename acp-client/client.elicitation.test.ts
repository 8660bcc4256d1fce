// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { opened, type ClientUnderTest } from "./testing/client-under-test.ts";

const form = { mode: "form", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const address = { mode: "url", elicitationId: "e1", url: "https://example.org/login?a=1#x" };
const deceptive = Array.from(
  "\n\r\t \u0000\u001b\u007f\u0085\u00a0\u00ad\u061c\u200b\u200f\u2028\u2029\u202e\u2066\u3164\ud800\u{e0041}\ufe0f\ufeff",
);

function offering(...modes: ("form" | "url")[]): ClientUnderTest {
  return opened({}, {}, { clientSide: { elicitation: { modes } } });
}

function ask(id: unknown, params: object): object {
  return { jsonrpc: "2.0", id, method: "elicitation/create", params: { sessionId: "s", message: "Who?", ...params } };
}

function keys({ heard }: ClientUnderTest): number[] {
  return heard.flatMap((entry) =>
    entry !== "batch end" && "event" in entry && entry.event.type === "elicitation" ? entry.event.request : [],
  );
}

test("a form and a URL arrive as requested, and are answered once", () => {
  const run = offering("form", "url");
  run.agent.say(ask("a", { ...form, toolCallId: "t", more: 1 }), ask("b", address));
  const [first = 0, second = 0] = keys(run);
  expect(run.heard.filter((entry) => entry !== "batch end")).toMatchObject([
    {
      event: { asked: { mode: "form", message: "Who?", toolCallId: "t", schema: form.requestedSchema } },
    },
    { event: { asked: { mode: "url", message: "Who?", elicitationId: "e1", url: address.url } } },
  ]);
  run.client.answer(second, { outcome: "decline" });
  run.client.answer(first, { outcome: "accept", content: { name: "Ann" } });
  run.client.answer(first, { outcome: "cancel" });
  expect(run.agent.answersTo("a")).toEqual([
    { jsonrpc: "2.0", id: "a", result: { action: "accept", content: { name: "Ann" } } },
  ]);
  expect(run.agent.answersTo("b")).toEqual([{ jsonrpc: "2.0", id: "b", result: { action: "decline" } }]);
});

test("a form's schema is unchanged, whatever its fields are called, and null stands for absent", () => {
  const schemas = [
    '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    '{"properties":null,"required":null}',
  ];
  const run = offering("form");
  run.agent.say(...schemas.map((schema, id) => ask(id, { ...form, requestedSchema: JSON.parse(schema) as object })));
  expect(keys(run)).toHaveLength(2);
  for (const schema of schemas) expect(JSON.stringify(run.heard)).toContain(schema);
});

test("a mode that is not supported is answered with -32602, and -32601 if no mode is supported", () => {
  const run = offering("form");
  run.agent.say(ask(1, address), ask(2, { mode: "telepathy" }), ask(3, { mode: undefined }));
  for (const id of [1, 2, 3]) expect(run.agent.answersTo(id)).toMatchObject([{ error: { code: -32602 } }]);
  const none = opened();
  none.agent.say(ask(1, form));
  expect(none.agent.answersTo(1)).toMatchObject([{ error: { code: -32601 } }]);
  expect([...keys(run), ...keys(none)]).toEqual([]);
});

test.for([
  { ...form, requestedSchema: undefined },
  { ...form, requestedSchema: "none" },
  { ...form, requestedSchema: { properties: [{ type: "string" }] } },
  { ...form, requestedSchema: { properties: "a" } },
  { ...form, requestedSchema: { properties: {}, required: "a" } },
  { ...form, requestedSchema: { properties: {}, required: ["a", 1] } },
  { ...form, message: 5 },
  // Without a session nobody can be asked.
  { ...form, sessionId: undefined, requestId: 1 },
  { ...address, elicitationId: undefined },
  { ...address, url: "javascript:alert(1)" },
  { ...address, url: "file:///etc/passwd" },
  { ...address, url: "vscode://open" },
  { ...address, url: "example.org" },
  { ...address, url: " https://example.org" },
  { ...address, url: "https://" },
  { ...address, url: `https://example.org/${"a".repeat(10_000)}` },
  // Characters that browsers drop from a URL, or that change how it reads.
  ...deceptive.map((character) => ({ ...address, url: `http://good.example${character}.evil.example` })),
  { ...address, url: "https://example.org/ " },
  { ...form, message: "a".repeat(300_000) },
])(
  "an invalid elicitation, or one whose URL is not http(s), is refused with -32602 and not passed on: %#",
  (params) => {
    const run = offering("form", "url");
    run.agent.say(ask(1, params));
    expect(run.agent.answersTo(1)).toMatchObject([{ error: { code: -32602 } }]);
    expect(keys(run)).toEqual([]);
    expect(run.faults()).toEqual(["invalid-elicitation"]);
  },
);

test("an elicitation under a session id that was never opened is passed on, with that id", () => {
  const run = offering("form");
  run.agent.say(ask(1, { ...form, sessionId: "other" }));
  expect(run.heard).toContainEqual({ event: expect.objectContaining({ type: "elicitation", agentSession: "other" }) });
  run.client.answer(keys(run)[0] ?? 0, { outcome: "decline" });
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { action: "decline" } }]);
});

test("one that the agent cancels is answered cancel and reported as withdrawn, and later answers are dropped", () => {
  const run = offering("form");
  run.agent.say(ask("x", form));
  const [key = 0] = keys(run);
  run.agent.say({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: "x" } });
  run.client.answer(key, { outcome: "accept", content: {} });
  expect(run.agent.answersTo("x")).toEqual([{ jsonrpc: "2.0", id: "x", result: { action: "cancel" } }]);
  expect(run.heard).toContainEqual({ event: { type: "withdrawn", request: key } });
});

test("the completion of a URL elicitation is reported once, and not at all for an unknown id", () => {
  const run = offering("url");
  const complete = (elicitationId: unknown) => ({
    jsonrpc: "2.0",
    method: "elicitation/complete",
    params: { elicitationId },
  });
  run.agent.say(ask(1, address), complete("e2"), complete("e1"), complete("e1"), complete(5));
  expect(run.updates()).toEqual([{ kind: "extension", method: "elicitation/complete", data: { elicitationId: "e1" } }]);
});
