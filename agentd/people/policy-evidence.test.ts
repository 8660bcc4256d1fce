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

test("a request without kind and locations has those of the latest report before it", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.onEvent(says({ toolCallId: "t", locations: [{ path: "/nowhere/b" }] }));
  one.onEvent(says({ toolCallId: "other", kind: "edit", locations: [{ path: "/nowhere/c" }] }));
  const evidence = asks(one, { toolCallId: "t" });
  expect(evidence.kindsBefore).toEqual(["read"]);
  expect(paths(evidence)).toEqual(["/nowhere/b"]);
});

test("locations of the request replace those reported before", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", locations: [{ path: "/nowhere/a" }] }));
  expect(paths(asks(one, { toolCallId: "t", locations: [] }))).toEqual([]);
});

test("an announced call does not inherit locations of an earlier call with its id, but its kinds are remembered", () => {
  const one = collector();
  one.onEvent(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.onEvent(says({ toolCallId: "t", title: "Again", kind: "search", status: "pending" }));
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: ["read", "search"], locations: [] });
});

test("a request of another session of the agent has no evidence, and does not count for this session's calls", () => {
  const one = collector();
  const toolCall = { toolCallId: "t", kind: "edit", locations: [{ path: "/nowhere/b" }] };
  const event = { type: "permission", request: 1, toolCall, options: [], agentSession: "its-child" } as const;
  expect(one.onEvent(event)).toBeUndefined();
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: [], locations: [] });
});

test("every kind ever reported of a call is remembered, also that of an earlier request", () => {
  const one = collector();
  asks(one, { toolCallId: "t", kind: "read" });
  one.onEvent(says({ toolCallId: "t", kind: "edit" }));
  expect(asks(one, { toolCallId: "t", kind: "read" }).kindsBefore).toEqual(["read", "edit"]);
});

test("diffs of earlier reports count too, and one without a path has no real path", () => {
  const one = collector();
  one.onEvent(
    says({ toolCallId: "t", content: [{ type: "diff", path: "/nowhere/d" }, { type: "diff" }, { type: "x" }] }),
  );
  expect(asks(one, { toolCallId: "t" }).diffs).toEqual([
    { path: "/nowhere/d", real: "/nowhere/d" },
    { path: "", real: undefined },
  ]);
});

test("beyond the limit paths are marked as too many, and none is resolved", () => {
  const locations = ["/a", "/b", "/c", "/d"].map((path) => ({ path }));
  const evidence = asks(collector(), { toolCallId: "t", locations });
  expect(evidence).toMatchObject({ tooMany: true });
  expect(evidence.locations.map(({ real }) => real)).toEqual([undefined, undefined, undefined]);
});

test("a report that could not be parsed marks the call as incomplete for good", () => {
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

test("kinds and paths that are too long to keep match no rule", () => {
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

test("the paths of one list are kept up to a limit on their total length", () => {
  const many = new EvidenceCollector({ policy: () => undefined, reserved: nothingReserved, pathsMax: 64, callsMax: 8 });
  const path = `/${"x".repeat(4_000)}`;
  const { locations } = asks(many, { toolCallId: "t", locations: Array.from({ length: 20 }, () => ({ path })) });
  expect(locations.filter((place) => place.path === path)).toHaveLength(8);
});
