// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission request is a patch on a tool call: people decide about the whole call.
import { expect, test } from "vitest";
import type { ToolCallPatch } from "../../../acp-client/model.ts";
import { jsonBytes } from "./bounded-fields.ts";
import type { PermissionEntry, ToolCallFields } from "../../vocabulary/index.ts";
import type { PendingPermission } from "./state.ts";
import { SessionScript } from "./testing/session-script.ts";

const options = [
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "n", name: "No", kind: "reject_once" },
];
const call = {
  toolCallId: "t",
  title: "Edit a.txt",
  kind: "edit",
  status: "pending",
  rawInput: { path: "/work/a.txt" },
  content: [{ type: "diff", path: "/work/a.txt", oldText: "one", newText: "rm -rf ~" }],
  locations: [{ path: "/work/a.txt" }],
};
const known: Partial<ToolCallFields> = {
  title: "Edit a.txt",
  tool_kind: "edit",
  raw_input: call.rawInput,
  content: call.content,
  locations: call.locations,
};

function inTurn(people: SessionScript["people"] = "off"): SessionScript {
  const script = new SessionScript();
  script.people = people;
  script.up();
  script.prompt("go");
  return script;
}

function says(script: SessionScript, patch: Partial<ToolCallPatch>) {
  return script.says({ type: "update", update: { kind: "tool_call", call: { toolCallId: "t", ...patch } } });
}

function asks(script: SessionScript, patch: Partial<ToolCallPatch> = {}, agentSession?: string): PermissionEntry {
  const toolCall = { toolCallId: "t", ...patch };
  const of = agentSession === undefined ? {} : { agentSession };
  const entries = script.says({ type: "permission", request: script.state.seq, toolCall, options, ...of });
  const asked = entries.find((entry) => entry.kind === "permission" && entry.phase === "requested");
  if (asked?.kind !== "permission") throw new Error("nothing was asked");
  return asked;
}

const openOf = (script: SessionScript): PendingPermission => script.state.requests.at(-1) as PendingPermission;
const asksOf = (script: SessionScript) => script.effects.filter((effect) => effect.type === "ask_people");
const changesOf = (script: SessionScript) =>
  script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "changed");

test("a request with only an id is logged, held and asked with everything the agent said of the call", () => {
  const script = inTurn("there");
  says(script, call);
  const asked = asks(script, { kind: "execute" });
  expect(asked).toMatchObject({ tool_call: { ...known, tool_kind: "execute" } });
  expect(asked.said_before).toEqual(["title", "status", "content", "locations", "raw_input"]);
  expect(openOf(script)).toMatchObject({ toolCall: { ...known, tool_kind: "execute" }, omitted: [] });
  expect(asksOf(script)).toMatchObject([
    { title: "test (aaaaaaaaaaaa) asks to execute: Edit a.txt", body: expect.stringContaining("/work/a.txt") },
  ]);
});

test("several updates are merged field by field, and the request's own fields win", () => {
  const script = inTurn();
  says(script, { ...call, title: "Terminal" });
  says(script, { title: "npm test", content: [] });
  says(script, { status: "in_progress", locations: null });
  expect(asks(script, { rawInput: { command: "npm test" } }).tool_call).toEqual({
    tool_call_id: "t",
    title: "npm test",
    tool_kind: "edit",
    status: "in_progress",
    content: [],
    raw_input: { command: "npm test" },
  });
  // The request patches the call like any update.
  expect(asks(script).tool_call).toMatchObject({ raw_input: { command: "npm test" } });
});

test("an output that was logged as growth is whole in the request", () => {
  const script = inTurn();
  const diff = (newText: string) => [{ type: "diff", path: "/work/a", newText }];
  says(script, { ...call, content: diff("x".repeat(1_000)) });
  const [grown] = says(script, { content: diff(`${"x".repeat(1_000)} && rm -rf ~`) });
  expect(grown).toHaveProperty("grow");
  expect(asks(script).tool_call?.content).toEqual(diff(`${"x".repeat(1_000)} && rm -rf ~`));
});

test("an unknown id is asked with the request's own fields alone", () => {
  const script = inTurn();
  says(script, call);
  const asked = asks(script, { toolCallId: "other", title: "Other" });
  expect(asked.tool_call).toEqual({ tool_call_id: "other", title: "Other" });
  expect(asked).not.toHaveProperty("said_before");
  expect(asked).not.toHaveProperty("left_out");
});

test("an id announced again after its call ended is a new call; one only asked about is the ended call", () => {
  const script = inTurn();
  says(script, { ...call, status: "completed" });
  expect(asks(script).tool_call).toMatchObject({ ...known, status: "completed" });
  script.answered(1);
  script.prompt("again");
  says(script, { title: "Run it", kind: "execute", status: "pending" });
  const { tool_call: asked } = asks(script);
  expect(asked).toEqual({ tool_call_id: "t", title: "Run it", tool_kind: "execute", status: "pending" });
});

test("a member too long to repeat is named in the log and where it is shown", () => {
  const script = inTurn();
  const long = "x".repeat(300 * 1024);
  says(script, { ...call, rawInput: long });
  const asked = asks(script);
  expect(asked.left_out).toEqual(["raw_input"]);
  expect(asked.tool_call).not.toHaveProperty("raw_input");
  expect(asked.tool_call).toMatchObject({ title: "Edit a.txt", content: call.content });
  expect(openOf(script).omitted).toEqual(["raw_input"]);
});

test("a member that the session no longer holds is named too", () => {
  const script = inTurn();
  says(script, call);
  for (let index = 0; index < 64; index += 1) script.tool(`other-${index}`);
  expect(asks(script).left_out).toEqual(["title", "content", "locations", "raw_input"]);
  for (let index = 0; index < 64; index += 1) script.tool(`another-${index}`);
  // A later update does not stand for the whole call.
  says(script, { title: "Edit b.txt" });
  expect(asks(script)).toMatchObject({
    tool_call: { title: "Edit b.txt" },
    left_out: ["content", "locations", "raw_input"],
  });
});

test("an agent that keeps asking about one long call does not multiply the log", () => {
  const script = inTurn();
  const long = "x".repeat(100 * 1024);
  says(script, { ...call, rawInput: long });
  expect(asks(script).tool_call?.raw_input).toBe(long);
  const before = jsonBytes(script.entries);
  for (let times = 0; times < 50; times += 1) expect(asks(script).left_out).toEqual(["raw_input"]);
  expect(jsonBytes(script.entries) - before).toBeLessThan(64 * 1024);
  // The session still holds it and shows it to people.
  expect(openOf(script)).toMatchObject({ toolCall: { raw_input: long }, omitted: [] });
  says(script, { rawInput: `${long}!` });
  expect(asks(script).tool_call?.raw_input).toBe(`${long}!`);
});

test("a call that changes while its request is pending is shown as it is now, marked as changed, and people are asked again", () => {
  const script = inTurn("there");
  says(script, call);
  asks(script);
  const entries = says(script, { rawInput: { path: "/etc/passwd" }, status: "in_progress" });
  expect(entries.at(-1)).toEqual({
    kind: "permission",
    turn: 1,
    request: "aaaaaaaaaaaa-1",
    phase: "changed",
    changed: ["raw_input"],
  });
  expect(openOf(script)).toMatchObject({
    toolCall: { ...known, raw_input: { path: "/etc/passwd" } },
    changed: ["raw_input"],
  });
  expect(asksOf(script)).toMatchObject([
    { edition: 0 },
    { edition: 1, body: expect.stringMatching(/changed since it was asked: raw input[^]*\/etc\/passwd/u) },
  ]);
  says(script, { title: "Other", rawInput: { path: "/etc/passwd" } });
  expect(openOf(script).changed).toEqual(["raw_input", "title"]);
  const resolved = script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", option: "y" });
  expect(resolved).toContainEqual(expect.objectContaining({ phase: "resolved", changed: ["raw_input", "title"] }));
});

test("an update with nothing new, or of another call, changes no request", () => {
  const script = inTurn("there");
  says(script, call);
  asks(script);
  says(script, { ...call, status: "in_progress" });
  says(script, { toolCallId: "other", title: "Other" });
  expect(changesOf(script)).toEqual([]);
  expect(asksOf(script)).toHaveLength(1);
});

test("a person's answer to the request before its change is logged and not used", () => {
  const script = inTurn("there");
  says(script, call);
  asks(script);
  says(script, { rawInput: { path: "/etc/passwd" } });
  const answer = { type: "people_answered", request: "aaaaaaaaaaaa-1", option: "y", by: "mix-abcdef" } as const;
  const [unused] = script.put(answer);
  expect(unused).toMatchObject({ what: "answer-unused", message: expect.stringContaining("had changed") });
  expect(script.state.requests).toHaveLength(1);
  expect(script.effects.filter(({ type }) => type === "withdraw_ask")).toEqual([]);
  script.put({ ...answer, edition: 1 });
  expect(script.state.requests).toEqual([]);
});

test("a policy that left a request to a person does not decide again when the call changes", () => {
  const policies = new Map([["reading", { allowOnce: [{ kinds: ["read" as const], within: "session" as const }] }]]);
  const script = new SessionScript({ policy: "reading" }, { policies });
  script.up();
  script.prompt("go");
  says(script, { ...call, kind: "edit" });
  asks(script);
  says(script, { kind: "read" });
  expect(openOf(script)).toMatchObject({ changed: ["tool_kind"] });
});

test("another session of the agent has its own calls, and no policy answers it", () => {
  const policies = new Map([["reading", { allowOnce: [{ kinds: ["edit" as const], within: "session" as const }] }]]);
  const script = new SessionScript({ policy: "reading" }, { policies });
  script.people = "there";
  script.up();
  script.prompt("go");
  says(script, call);
  const asked = asks(script, { title: "Sub" }, "its-child");
  expect(asked).toMatchObject({
    agent_session: "its-child",
    tool_call: { tool_call_id: "t", title: "Sub" },
    why: expect.stringContaining("another session of the agent asks"),
  });
  expect(asked).not.toHaveProperty("said_before");
  expect(asksOf(script)).toMatchObject([{ body: expect.stringContaining("another session of the agent, its-child") }]);
});
