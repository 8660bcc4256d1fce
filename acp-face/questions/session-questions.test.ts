// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { logged, samples } from "../../agent-client/testing/entry-samples.ts";
import type { EntryContent, PermissionEntry } from "../../agentd/vocabulary/entries.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { objections } from "../../acp-client/testing/official-schema.ts";
import { UpdateMapper } from "../mapping/update-mapper.ts";
import { scriptedEditor } from "../testing/scripted-editor.ts";
import { dialogsMax, SessionQuestions } from "./session-questions.ts";

const session = "aaaaaaaaaaaa";
const request = (nth: number): string => `${session}-${nth}`;

interface Sent {
  readonly verb: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** `reply`: throws to refuse the nth answer, from 1. */
async function openQuestions(clientCapabilities: object = {}, reply: (nth: number, sent: Sent) => object = () => ({})) {
  const editor = await scriptedEditor(clientCapabilities);
  const sent = new Inbox<Sent>();
  const diagnosed: string[] = [];
  const clock = new ManualClock();
  let count = 0;
  let commands = 0;
  const ask = async (verb: string, args: object): Promise<object> => {
    const one = { verb, args: { ...args } };
    sent.push(one);
    return reply((count += 1), one);
  };
  const mapper = new UpdateMapper({ session, cwd: "/", additionalDirs: [], booleanOptions: false, showsIds: false });
  const questions = new SessionQuestions({
    client: editor.client,
    toolCall: (fields) => mapper.toolCall(fields),
    ask: ask as unknown as ReadingBus["ask"],
    session,
    write: (updates) => {
      for (const update of updates) {
        expect(objections("SessionUpdate", update)).toEqual([]);
        void editor.client.update(session, update);
      }
    },
    diagnose: (text) => diagnosed.push(text),
    clock,
    newCommandId: () => `c${(commands += 1)}`,
  });
  let seq = 0;
  const apply = (...contents: readonly EntryContent[]): void => {
    for (const entry of logged(contents, seq + 1)) questions.apply(entry);
    seq += contents.length;
  };
  return { editor, questions, apply, sent, diagnosed, clock };
}

const call = samples.tool_call;
const asked = (nth = 1, more: Partial<PermissionEntry> = {}): PermissionEntry => ({
  ...samples.permission,
  request: request(nth),
  ...more,
});
const resolved = (nth = 1, more: Partial<PermissionEntry> = {}): PermissionEntry => ({
  kind: "permission",
  request: request(nth),
  phase: "resolved",
  outcome: "cancelled",
  ...more,
});
const selected = (optionId: string) => ({ result: { outcome: { outcome: "selected", optionId } } });

test("a permission is asked with options that are their kinds, and the answer is the agent's option", async () => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked());
  const dialog = await editor.next();
  expect(dialog).toEqual({
    jsonrpc: "2.0",
    id: -1,
    method: "session/request_permission",
    params: {
      sessionId: session,
      toolCall: { toolCallId: "t1", title: "Run it" },
      options: [
        { optionId: "allow_once", name: "Yes", kind: "allow_once" },
        { optionId: "reject_once", name: "No", kind: "reject_once" },
      ],
    },
  });
  expect(objections("RequestPermissionRequest", dialog.params)).toEqual([]);
  editor.answer(-1, selected("allow_once"));
  const { verb, args } = await sent.next();
  expect(verb).toBe("agent.permission.answer");
  expect(args).toEqual({
    session,
    request: request(1),
    option: "yes",
    command_id: "c1",
  });
  // A second answer is nobody's.
  editor.answer(-1, selected("reject_once"));
  await editor.settled();
  expect(sent.waiting).toEqual([]);
});

test.each([
  ["the rejection", selected("reject_once"), { option: "no" }],
  ["cancelled", { result: { outcome: { outcome: "cancelled" } } }, { cancelled: true }],
  ["an option that was not offered", selected("allow_everything"), { option: "no" }],
  ["the agent's own id of an option", selected("yes"), { option: "no" }],
  ["something malformed", { result: { allow: true } }, { option: "no" }],
  ["null", { result: null }, { option: "no" }],
  ["an error", { error: { code: -32603, message: "Internal error" } }, { option: "no" }],
])("%s is no allow", async (_what, answer, decision) => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked());
  editor.answer((await editor.next()).id, answer);
  const { args } = await sent.next();
  expect(args).toMatchObject(decision);
  expect(Object.keys(args).filter((name) => name === "option" || name === "cancelled")).toHaveLength(1);
});

test.each(["permission", "form"])("a %s is left to others by an editor that does not have the method", async (kind) => {
  const { editor, apply, sent, diagnosed } = await openQuestions({ elicitation: { form: {} } });
  apply(call, kind === "form" ? form : asked());
  editor.answer((await editor.next()).id, { error: { code: -32601, message: "Method not found" } });
  await editor.settled();
  expect(sent.waiting).toEqual([]);
  expect(diagnosed).toEqual([`The question ${request(1)} is left to others: RequestError`]);
  apply(resolved(1, { option: "no" }));
  await editor.settled();
  expect(editor.waiting).toEqual([]);
});

test("a malformed answer cancels where nothing rejects once", async () => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked(1, { options: [{ option: "yes", name: "Yes", kind: "allow_always" }] }));
  editor.answer((await editor.next()).id, { result: 1 });
  expect((await sent.next()).args).toMatchObject({ cancelled: true });
});

test("two questions are answered in the other order", async () => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked(1), asked(2));
  expect([(await editor.next()).id, (await editor.next()).id]).toEqual([-1, -2]);
  editor.answer(-2, selected("allow_once"));
  expect((await sent.next()).args).toMatchObject({ request: request(2), option: "yes" });
  editor.answer(-1, selected("reject_once"));
  expect((await sent.next()).args).toMatchObject({ request: request(1), option: "no" });
});

const withdrawn = (id: number) => ({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });

test.each([
  ["another person", { outcome: "selected", option: "no", by: "mix-bbbbbb" }],
  ["the time that is over", { outcome: "selected", option: "no", via: "timeout" }],
] as const)("a question that %s has answered is withdrawn, and a late answer is ignored", async (_who, how) => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked());
  await editor.next();
  apply(resolved(1, how));
  expect(await editor.next()).toEqual(withdrawn(-1));
  editor.answer(-1, selected("allow_once"));
  await editor.settled();
  expect(sent.waiting).toEqual([]);
});

test("a question that changed is withdrawn and asked again, and only the answer to what it is now counts", async () => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked());
  await editor.next();
  const change = { kind: "tool_call", tool_call_id: "t1", title: "Run something else" } as const;
  apply(change, { kind: "permission", request: request(1), phase: "changed", changed: ["title"] });
  expect(await editor.next()).toEqual(withdrawn(-1));
  expect(await editor.next()).toMatchObject({ id: -2, params: { toolCall: { title: "Run something else" } } });
  editor.answer(-1, selected("allow_once"));
  await editor.settled();
  expect(sent.waiting).toEqual([]);
  editor.answer(-2, selected("allow_once"));
  expect((await sent.next()).args).toMatchObject({ option: "yes" });
});

test("an answer that has just come to a question that changes is not sent", async () => {
  const { editor, apply, sent } = await openQuestions();
  const answered: (() => void)[] = [];
  editor.client.askPermission = () =>
    new Promise((resolve) => answered.push(() => resolve({ outcome: "selected", option: "allow_once" })));
  apply(call, asked());
  await editor.settled();
  answered[0]?.();
  // What waits for the answer has not run yet.
  apply({ kind: "permission", request: request(1), phase: "changed", changed: ["content"] });
  await editor.settled();
  expect(answered).toHaveLength(2);
  expect(sent.waiting).toEqual([]);
});

test("an editor that goes away has answered nothing", async () => {
  const { editor, apply, sent, diagnosed } = await openQuestions();
  apply(call, asked());
  await editor.next();
  await editor.end();
  expect(sent.waiting).toEqual([]);
  expect(diagnosed).toEqual([]);
});

test("a cancel withdraws all dialogs, answers nothing, and nothing of them is asked again", async () => {
  const { editor, apply, sent, questions } = await openQuestions();
  apply(call, asked(1), asked(2));
  await editor.next();
  await editor.next();
  questions.withdrawAll();
  expect([await editor.next(), await editor.next()]).toEqual([withdrawn(-1), withdrawn(-2)]);
  apply({ kind: "permission", request: request(1), phase: "changed", changed: ["content"] });
  apply(resolved(2, { via: "cancel" }));
  editor.answer(-1, selected("allow_once"));
  await editor.settled();
  expect(editor.waiting).toEqual([]);
  expect(sent.waiting).toEqual([]);
  apply(asked(3));
  expect(await editor.next()).toMatchObject({ id: -3, method: "session/request_permission" });
});

test("an answer is sent again with its command id while agentd is away, and not once the question is closed", async () => {
  const away = (nth: number): object => {
    if (nth > 1) throw new AgentError("REQUEST_CLOSED", "too late");
    throw new AgentError("UNREACHABLE", "agentd is away");
  };
  const { editor, apply, sent, clock, diagnosed } = await openQuestions({}, away);
  apply(call, asked(1), asked(2));
  await editor.next();
  await editor.next();
  editor.answer(-1, selected("allow_once"));
  const first = await sent.next();
  await editor.settled();
  clock.advance(10_000);
  expect(await sent.next()).toEqual(first);
  await editor.settled();
  expect(editor.waiting).toEqual([]);
  expect(diagnosed).toEqual([]);
});

test("no answer is sent again once the question was answered elsewhere", async () => {
  const { editor, apply, sent, clock } = await openQuestions({}, () => {
    throw new AgentError("UNREACHABLE", "agentd is away");
  });
  apply(call, asked());
  editor.answer((await editor.next()).id, selected("allow_once"));
  await sent.next();
  await editor.settled();
  apply(resolved());
  clock.advance(60_000);
  await editor.settled();
  expect(sent.waiting).toEqual([]);
  expect(clock.pending).toEqual([]);
});

test("a question whose answer agentd refuses is asked again, a few times", async () => {
  const { editor, apply, sent, diagnosed } = await openQuestions({}, () => {
    throw new AgentError("STORE_FAILED", "the disk is full");
  });
  apply(call, asked());
  for (const id of [-1, -2, -3]) {
    expect(await editor.next()).toMatchObject({ id });
    editor.answer(id, selected("allow_once"));
    await sent.next();
  }
  await editor.settled();
  expect(editor.waiting).toEqual([]);
  expect(diagnosed.at(-1)).toContain("left to others");
});

test("more questions than dialogs wait until one of them ends", async () => {
  const { editor, apply } = await openQuestions();
  apply(call, ...Array.from({ length: dialogsMax + 2 }, (_, index) => asked(index + 1)));
  await editor.settled();
  expect(editor.waiting).toHaveLength(dialogsMax);
  apply(resolved(3));
  await editor.settled();
  expect(editor.waiting.at(-1)).toMatchObject({ id: -1 - dialogsMax });
  editor.answer(-1, selected("allow_once"));
  await editor.settled();
  expect(editor.waiting.at(-1)).toMatchObject({ id: -2 - dialogsMax });
});

test("questions that are open when the session is attached are asked, each once", async () => {
  const { editor, questions } = await openQuestions({ elicitation: { url: {} } });
  const open = { session, asked_at: "2026-12-01T10:00:00.000Z", expires_at: null } as const;
  const { options = [], tool_call } = samples.permission;
  const listed = { ...open, kind: "permission", request: request(1), tool_call: tool_call!, options } as const;
  const address = { ...open, kind: "elicitation", request: request(2), mode: "url", url: "https://a.example" } as const;
  questions.adopt([listed, { ...address, elicitation_id: "e", message: "Log in" }]);
  questions.adopt([listed]);
  // The editor may not know the call.
  expect(await editor.next()).toMatchObject({
    method: "session/update",
    params: { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run it", status: "pending" } },
  });
  expect(await editor.next()).toMatchObject({ id: -1, method: "session/request_permission" });
  expect(await editor.next()).toMatchObject({ id: -2, method: "elicitation/create" });
  await editor.settled();
  expect(editor.waiting).toEqual([]);
});

test("a call that history has told is not announced again", async () => {
  const { editor, questions } = await openQuestions();
  for (const entry of logged([call, asked()])) questions.applyPast(entry);
  await editor.settled();
  expect(editor.waiting).toEqual([]);
  for (const entry of logged([asked()], 2)) questions.apply(entry);
  expect(await editor.next()).toMatchObject({ method: "session/request_permission" });
});

test("a question of a sub-agent is about a call of its own, which is announced before and ends with it", async () => {
  const { editor, apply, sent } = await openQuestions();
  apply(call, asked(1, { agent_session: "child" }));
  const id = "child/t1";
  expect(await editor.next()).toMatchObject({ params: { update: { sessionUpdate: "tool_call", toolCallId: id } } });
  expect(await editor.next()).toMatchObject({ id: -1, params: { sessionId: session, toolCall: { toolCallId: id } } });
  editor.answer(-1, selected("allow_once"));
  expect((await sent.next()).args).toMatchObject({ request: request(1), option: "yes" });
  apply(resolved(1, { outcome: "selected", option: "yes" }));
  const ended = (status: string) => ({
    params: { update: { sessionUpdate: "tool_call_update", toolCallId: id, status } },
  });
  expect(await editor.next()).toMatchObject(ended("in_progress"));
  const update = { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" };
  apply({ kind: "extension", method: "session/update", data: { sessionId: "child", update } }, samples.turn);
  expect(await editor.next()).toMatchObject(ended("completed"));
  await editor.settled();
  expect(editor.waiting).toEqual([]);
});

test("a sub-agent's call of which nothing more is told ends with the turn", async () => {
  const { editor, apply, questions } = await openQuestions();
  apply(asked(1, { agent_session: "child" }), asked(2, { agent_session: "other" }));
  for (let come = 0; come < 4; come += 1) await editor.next();
  // A turn that never ran ends, and history is told again.
  apply({ kind: "turn", turn: 2, phase: "ended", stop_reason: "cancelled", sent: false });
  for (const entry of logged([samples.turn])) questions.applyPast(entry);
  apply(resolved(1, { outcome: "selected", option: "yes" }), resolved(2), samples.turn);
  const statuses = [];
  for (let come = 0; come < 4; come += 1) statuses.push((await editor.next()).params?.["update"]);
  expect(statuses).toEqual([
    undefined,
    expect.objectContaining({ toolCallId: "child/t1", status: "in_progress" }),
    undefined,
    expect.objectContaining({ toolCallId: "other/t1", status: "failed" }),
  ]);
  expect((await editor.next()).params?.["update"]).toMatchObject({ toolCallId: "child/t1", status: "completed" });
});

test("a sub-agent's question that changed is shown as agentd has it", async () => {
  const requests = [{ tool_call: { tool_call_id: "t1", title: "Delete it" } }];
  const { editor, apply, sent } = await openQuestions({}, () => ({ requests }));
  apply(asked(1, { agent_session: "child" }));
  await editor.next();
  await editor.next();
  apply({ kind: "permission", request: request(1), phase: "changed", changed: ["title"] });
  expect(await editor.next()).toEqual(withdrawn(-1));
  expect(await sent.next()).toEqual({ verb: "agent.permission.list", args: { request: request(1) } });
  expect(await editor.next()).toMatchObject({ id: -2, params: { toolCall: { title: "Delete it" } } });
});

const form = { ...samples.elicitation, request: request(1), schema: { type: "object", properties: {} } };
const address = {
  ...samples.elicitation,
  request: request(2),
  mode: "url",
  url: "https://a.example/x",
  elicitation_id: "e1",
} as const;

test("elicitations are asked in the modes that the editor offers, and left to others in the rest", async () => {
  const { editor, apply } = await openQuestions({ elicitation: { url: {} } });
  const { schema: _, ...rest } = address;
  apply(form, rest);
  const dialog = await editor.next();
  expect(dialog).toMatchObject({ method: "elicitation/create", params: { mode: "url", sessionId: session } });
  expect(objections("CreateElicitationRequest", dialog.params)).toEqual([]);
  await editor.settled();
  expect(editor.waiting).toEqual([]);
});

test("the editor is told that what it opened a URL for is done", async () => {
  const { editor, apply } = await openQuestions({ elicitation: { url: {} } });
  apply({ kind: "extension", method: "elicitation/complete", data: { elicitationId: "e1" } });
  const told = await editor.next();
  expect(told).toEqual({ jsonrpc: "2.0", method: "elicitation/complete", params: { elicitationId: "e1" } });
  const other = await openQuestions({ elicitation: { form: {} } });
  other.apply({ kind: "extension", method: "elicitation/complete", data: { elicitationId: "e1" } });
  await other.editor.settled();
  expect(other.editor.waiting).toEqual([]);
});

test.each([
  [{ result: { action: "accept", content: { name: "a", n: 1.5, on: true, many: ["x"] } } }, "accept"],
  [{ result: { action: "accept" } }, "accept"],
  [{ result: { action: "decline" } }, "decline"],
  [{ result: { action: "cancel" } }, "cancel"],
  [{ result: { action: "accept", content: { name: { first: "a" } } } }, "cancel"],
  [{ result: { action: "maybe" } }, "cancel"],
  [{ error: { code: -32603, message: "no" } }, "cancel"],
])("the answer %j to a form is sent as %s", async (answer, action) => {
  const { editor, apply, sent } = await openQuestions({ elicitation: { form: {} } });
  apply(form);
  const dialog = await editor.next();
  expect(objections("CreateElicitationRequest", dialog.params)).toEqual([]);
  editor.answer(dialog.id, answer);
  const { verb, args } = await sent.next();
  expect(verb).toBe("agent.elicitation.answer");
  expect(args).toMatchObject({ request: request(1), action });
  expect("content" in args).toBe(action === "accept");
});

test("a form that agentd refuses is asked again with the reason", async () => {
  const { editor, apply, sent } = await openQuestions({ elicitation: { form: {} } }, (nth) => {
    if (nth === 1) throw new AgentError("ARGUMENT", "content.name: is missing");
    return {};
  });
  apply(form);
  editor.answer((await editor.next()).id, { result: { action: "accept", content: {} } });
  const again = await editor.next();
  expect(again.params?.["message"]).toBe("content.name: is missing\n\nName?");
  editor.answer(again.id, { result: { action: "accept", content: { name: "x" } } });
  const first = await sent.next();
  const second = await sent.next();
  expect(second.args["content"]).toEqual({ name: "x" });
  expect(second.args["command_id"]).not.toBe(first.args["command_id"]);
});

test("a question with no option of ACP's kinds is left to others", async () => {
  const { editor, apply } = await openQuestions();
  apply(call, asked(1, { options: [{ option: "x", name: "Perhaps", kind: "perhaps" }] }));
  await editor.settled();
  expect(editor.waiting).toEqual([]);
});
