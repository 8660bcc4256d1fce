// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ClientSideRequest } from "./client-side.ts";
import { initialized, opened, story, textChunk, type ClientUnderTest } from "./testing/client-under-test.ts";

const options = [
  { optionId: "YES ✓", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function question(id: unknown, params: object): object {
  return { jsonrpc: "2.0", id, method: "session/request_permission", params };
}

function ask(id: unknown, members: object = {}): object {
  return question(id, { sessionId: "s", toolCall: { toolCallId: "t" }, options, ...members });
}

function takeBack(requestId: unknown): object {
  return { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } };
}

function keys({ heard }: ClientUnderTest): number[] {
  return heard.flatMap((entry) =>
    entry !== "batch end" && "event" in entry && entry.event.type === "permission" ? entry.event.request : [],
  );
}

test("the chosen option is sent back byte for byte, with the agent's id", () => {
  const run = opened();
  run.agent.say(ask("perm-1"));
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "YES ✓" });
  expect(run.agent.answersTo("perm-1")).toEqual([
    { jsonrpc: "2.0", id: "perm-1", result: { outcome: { outcome: "selected", optionId: "YES ✓" } } },
  ]);
});

test("an option that was not offered is never sent, and the request stays open", () => {
  const run = opened();
  run.agent.say(ask(1));
  const key = keys(run)[0] ?? 0;
  expect(() => run.client.answer(key, { outcome: "selected", option: "yes ✓" })).toThrow(
    expect.objectContaining({ code: "OPTION_NOT_OFFERED" }),
  );
  expect(run.agent.answersTo(1)).toEqual([]);
  run.client.answer(key, { outcome: "cancelled" });
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
});

test("an answer to an elicitation never allows a permission: it is sent as a cancellation", () => {
  const run = opened();
  run.agent.say(ask(1));
  run.client.answer(keys(run)[0] ?? 0, { outcome: "accept" });
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
});

test("each request is answered once, and later answers are dropped", () => {
  const run = opened();
  run.agent.say(ask(2), ask(1));
  const [first = 0, second = 0] = keys(run);
  for (const key of [second, first, second, first, 999]) run.client.answer(key, { outcome: "cancelled" });
  expect([run.agent.answersTo(1).length, run.agent.answersTo(2).length]).toEqual([1, 1]);
});

test("a request about an unannounced tool call carries its data, and an unknown kind is kept", () => {
  const run = opened();
  const toolCall = { toolCallId: "new", title: "Run", kind: "execute", rawInput: { command: "ls" }, status: null };
  const forever = { optionId: "f", name: "For ever", kind: "allow_persistent", extra: 1 };
  run.agent.say(ask(0, { toolCall, options: [forever] }));
  expect(run.heard[0]).toEqual({
    event: {
      type: "permission",
      request: keys(run)[0],
      toolCall: { toolCallId: "new", title: "Run", kind: "execute", rawInput: { command: "ls" } },
      options: [{ optionId: "f", name: "For ever", kind: "allow_persistent" }],
    },
  });
});

test.for([
  {},
  { sessionId: "s", toolCall: { toolCallId: "t" } },
  { sessionId: "s", toolCall: {}, options },
  { sessionId: "s", toolCall: null, options },
  { sessionId: 5, toolCall: { toolCallId: "t" }, options },
  { sessionId: "s", toolCall: { toolCallId: "t" }, options: [{ name: "no id", kind: "allow_once" }] },
  { sessionId: "s", toolCall: { toolCallId: "t" }, options: "all" },
])(
  "a request without a required member is answered with -32602 and not passed on, and the agent goes on: %j",
  (params) => {
    const run = opened();
    run.agent.say(question(9, params), textChunk("still here"));
    expect(run.agent.answersTo(9)).toMatchObject([{ error: { code: -32602 } }]);
    expect(story(run.heard)).toEqual(["still here", "fault", "|"]);
  },
);

test("a request that the agent cancels is answered cancelled once, and reported once", () => {
  const run = opened();
  run.agent.say(ask(7));
  run.agent.say(takeBack(7), takeBack(7), takeBack("7"), takeBack(99));
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "no" });
  expect(run.agent.answersTo(7)).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
  expect(story(run.heard)).toEqual(["permission", "|", "withdrawn", "|"]);
});

test("cancelling an answered request has no effect", () => {
  const run = opened();
  run.agent.say(ask(7));
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "no" });
  run.agent.say(takeBack(7));
  expect(run.agent.answersTo(7)).toHaveLength(1);
  expect(story(run.heard)).toEqual(["permission", "|"]);
});

test("a request under a session id that was never opened is passed on with that id, and answered like any other", () => {
  const run = opened();
  run.agent.say(ask(1, { sessionId: "child" }));
  expect(story(run.heard)).toEqual(["permission", "|"]);
  expect(run.heard[0]).toMatchObject({ event: { agentSession: "child" } });
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "no" });
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { outcome: { optionId: "no" } } }]);
  run.agent.say(ask(2));
  expect(run.heard.at(-2)).not.toHaveProperty("event.agentSession");
});

test("a request while no session is open is answered cancelled, and its title and reason are reported", () => {
  const run = initialized();
  run.agent.say(ask(1, { toolCall: { toolCallId: "t", title: "rm -rf" } }));
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
  expect(story(run.heard)).toEqual(["fault", "|"]);
  expect(run.heard[0]).toMatchObject({
    event: {
      fault: "foreign-request",
      message: expect.stringContaining("no session is open"),
      sample: expect.stringMatching(/^rm -rf \(session "/u),
    },
  });
});

test("a repeated id of an open request is refused, and the first request is unaffected", () => {
  const run = opened();
  run.agent.say(ask(7), ask(7));
  expect(run.agent.answersTo(7)).toMatchObject([{ error: { code: -32600 } }]);
  expect(keys(run)).toHaveLength(1);
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "no" });
  expect(run.agent.answersTo(7)[1]).toMatchObject({ result: { outcome: { optionId: "no" } } });
});

test("after the agent's exit nothing is answered", () => {
  const run = opened();
  run.agent.say(ask(7));
  run.agent.exit();
  run.client.answer(keys(run)[0] ?? 0, { outcome: "selected", option: "no" });
  expect(run.agent.answersTo(7)).toEqual([]);
});

test.for([
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
  "elicitation/create",
  "session/unheard_of",
  "_vendor/thing",
  "$/thing",
])("an unsupported request %s is answered with -32601", (method) => {
  const run = opened();
  run.agent.say({ jsonrpc: "2.0", id: "r", method, params: { sessionId: "s" } });
  expect(run.agent.answersTo("r")).toMatchObject([{ error: { code: -32601 } }]);
});

test("an unknown notification gets no reply; one that is not JSON-RPC's own is kept", () => {
  const run = opened();
  for (const method of ["_auth/status_update", "session/unheard_of", "$/thing", "elicitation/complete"]) {
    run.agent.say({ jsonrpc: "2.0", method, params: { state: "ok" } });
  }
  expect(run.agent.frames).toHaveLength(2);
  expect(run.updates()).toEqual([
    { kind: "extension", method: "_auth/status_update", data: { state: "ok" } },
    { kind: "extension", method: "session/unheard_of", data: { state: "ok" } },
  ]);
});

test("a client-side handler serves requests of the open session only", () => {
  const served: string[] = [];
  const fs = {
    serve: (read: ClientSideRequest) => {
      served.push(read.method);
      read.reply({ content: "text" });
    },
  };
  const run = opened({}, {}, { clientSide: { fs } });
  const readFile = (id: number, sessionId: string): object => ({
    jsonrpc: "2.0",
    id,
    method: "fs/read_text_file",
    params: { sessionId, path: "/a" },
  });
  run.agent.say(readFile(1, "s"), readFile(2, "other"));
  expect(served).toEqual(["fs/read_text_file"]);
  expect(run.agent.answersTo(1)).toMatchObject([{ result: { content: "text" } }]);
  expect(run.agent.answersTo(2)).toMatchObject([{ error: { code: -32002, data: { sessionId: "other" } } }]);
  expect(run.heard).toContainEqual({
    event: expect.objectContaining({
      fault: "foreign-request",
      message: expect.stringContaining("refused"),
      sample: 'fs/read_text_file /a (session "other")',
    }),
  });
});

test.each([
  ["of which an allow and a denial share an id", [options[0], { ...options[1], optionId: "YES ✓" }], "different kinds"],
  ["over the size limit", [{ optionId: "x".repeat(70_000), name: "", kind: "allow_once" }], "too long"],
])("a request with options %s is refused with -32602 and not passed on", (_, offered, why) => {
  const run = opened();
  run.agent.say(ask(9, { options: offered }));
  expect(keys(run)).toEqual([]);
  expect(run.agent.answersTo(9)).toMatchObject([{ error: { code: -32602, message: expect.stringContaining(why) } }]);
  expect(run.faults()).toEqual(["invalid-permission"]);
});

test("two options of one kind may have the same id", () => {
  const run = opened();
  run.agent.say(ask(9, { options: [...options, options[0]] }));
  expect(keys(run)).toHaveLength(1);
});
