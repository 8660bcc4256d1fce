// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentEvent } from "../../acp-client/agent-events.ts";
import type { ToolCallPatch } from "../../acp-client/model.ts";
import type { PolicyEvidence } from "../session/core/requests/policy.ts";
import { EvidenceCollector } from "./policy-evidence.ts";
import { nothingReserved } from "../testing/nothing-reserved.ts";

function collector(callsMax = 8) {
  return new EvidenceCollector({ policy: () => undefined, reserved: nothingReserved, pathsMax: 2, callsMax });
}

const says = (call: ToolCallPatch): AgentEvent => ({ type: "update", update: { kind: "tool_call", call } });

function asks(of: EvidenceCollector, toolCall: ToolCallPatch): PolicyEvidence {
  const evidence = of.onEvent({ type: "permission", request: 1, toolCall, options: [] });
  if (!evidence) throw new Error("a question without evidence");
  return evidence;
}

const paths = (evidence: PolicyEvidence) => evidence.locations.map(({ path }) => path);

test("a question that leaves out kind and locations has those that were said before, and the last that were", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.onEvent(says({ toolCallId: "t", locations: [{ path: "/nowhere/b" }] }));
  one.onEvent(says({ toolCallId: "other", kind: "edit", locations: [{ path: "/nowhere/c" }] }));
  const evidence = asks(one, { toolCallId: "t" });
  expect(evidence.kindsBefore).toEqual(["read"]);
  expect(paths(evidence)).toEqual(["/nowhere/b"]);
});

test("locations of the question take the place of those before", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", locations: [{ path: "/nowhere/a" }] }));
  expect(paths(asks(one, { toolCallId: "t", locations: [] }))).toEqual([]);
});

test("a call that is announced has no place but its own, though its id had one before; its kinds are remembered", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.onEvent(says({ toolCallId: "t", title: "Again", kind: "search", status: "pending" }));
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: ["read", "search"], locations: [] });
});

test("what another session of the agent asks is no matter of a policy, and says nothing of this one's calls", () => {
  const one = collector();
  const toolCall = { toolCallId: "t", kind: "edit", locations: [{ path: "/nowhere/b" }] };
  const event = { type: "permission", request: 1, toolCall, options: [], agentSession: "its-child" } as const;
  expect(one.onEvent(event)).toBeUndefined();
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: [], locations: [] });
});

test("every kind that was ever said of a call is remembered, also that of an earlier question", () => {
  const one = collector();
  asks(one, { toolCallId: "t", kind: "read" });
  one.onEvent(says({ toolCallId: "t", kind: "edit" }));
  expect(asks(one, { toolCallId: "t", kind: "read" }).kindsBefore).toEqual(["read", "edit"]);
});

test("a diff is found in what was said before too, and one without a path leads nowhere", () => {
  const one = collector();
  one.onEvent(
    says({ toolCallId: "t", content: [{ type: "diff", path: "/nowhere/d" }, { type: "diff" }, { type: "x" }] }),
  );
  expect(asks(one, { toolCallId: "t" }).diffs).toEqual([
    { path: "/nowhere/d", real: "/nowhere/d" },
    { path: "", real: undefined },
  ]);
});

test("more paths than are looked at are said to be too many, and none is looked up", () => {
  const locations = ["/a", "/b", "/c", "/d"].map((path) => ({ path }));
  const evidence = asks(collector(), { toolCallId: "t", locations });
  expect(evidence).toMatchObject({ tooMany: true });
  expect(evidence.locations.map(({ real }) => real)).toEqual([undefined, undefined, undefined]);
});

test("what could not be read of a call makes it doubtful for good", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", locations: [{ path: "/nowhere/a" }], incomplete: true }));
  expect(asks(one, { toolCallId: "t", locations: [{ path: "/nowhere/b" }] })).toMatchObject({ incomplete: true });
  expect(asks(one, { toolCallId: "u", locations: [{ path: "/nowhere/b" }] })).toMatchObject({ incomplete: false });
});

test("of many calls the oldest are forgotten", () => {
  const one = collector(2);
  for (const toolCallId of ["a", "b", "c"]) one.onEvent(says({ toolCallId, kind: "read" }));
  expect(asks(one, { toolCallId: "a" }).kindsBefore).toEqual([]);
  expect(asks(one, { toolCallId: "c" }).kindsBefore).toEqual(["read"]);
});

test("kinds and paths that are too long to be held for each call are those of no rule", () => {
  const one = collector();
  one.onEvent(
    says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }, { path: `/${"x".repeat(5_000)}` }] }),
  );
  one.onEvent(says({ toolCallId: "t", kind: "x".repeat(100_000) }));
  const evidence = asks(one, { toolCallId: "t", kind: "read" });
  expect(evidence.kindsBefore).toEqual(["read", "(too long)"]);
  expect(paths(evidence)).toEqual(["/nowhere/a", ""]);
  expect(evidence.locations[1]?.real).toBeUndefined();
});

test("of one list of paths no more is held than a bound for them all", () => {
  const many = new EvidenceCollector({ policy: () => undefined, reserved: nothingReserved, pathsMax: 64, callsMax: 8 });
  const path = `/${"x".repeat(4_000)}`;
  const { locations } = asks(many, { toolCallId: "t", locations: Array.from({ length: 20 }, () => ({ path })) });
  expect(locations.filter((place) => place.path === path)).toHaveLength(8);
});
