// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentEvent } from "../../acp-client/agent-events.ts";
import type { ToolCallPatch } from "../../acp-client/model.ts";
import type { Findings } from "../session/core/requests/policy.ts";
import { PolicyWitness } from "./findings.ts";
import { nothingReserved } from "../testing/nothing-reserved.ts";

function witness(callsMax = 8) {
  return new PolicyWitness({ policy: () => undefined, reserved: nothingReserved, pathsMax: 2, callsMax });
}

const says = (call: ToolCallPatch): AgentEvent => ({ type: "update", update: { kind: "tool_call", call } });

function asks(of: PolicyWitness, toolCall: ToolCallPatch): Findings {
  const findings = of.see({ type: "permission", request: 1, toolCall, options: [] });
  if (!findings) throw new Error("a question without findings");
  return findings;
}

const paths = (findings: Findings) => findings.locations.map(({ path }) => path);

test("a question that leaves out kind and locations has those that were said before, and the last that were", () => {
  const one = witness();
  one.see(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.see(says({ toolCallId: "t", locations: [{ path: "/nowhere/b" }] }));
  one.see(says({ toolCallId: "other", kind: "edit", locations: [{ path: "/nowhere/c" }] }));
  const findings = asks(one, { toolCallId: "t" });
  expect(findings.kindsBefore).toEqual(["read"]);
  expect(paths(findings)).toEqual(["/nowhere/b"]);
});

test("locations of the question take the place of those before", () => {
  const one = witness();
  one.see(says({ toolCallId: "t", locations: [{ path: "/nowhere/a" }] }));
  expect(paths(asks(one, { toolCallId: "t", locations: [] }))).toEqual([]);
});

test("a call that is announced has no place but its own, though its id had one before; its kinds are remembered", () => {
  const one = witness();
  one.see(says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }] }));
  one.see(says({ toolCallId: "t", title: "Again", kind: "search", status: "pending" }));
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: ["read", "search"], locations: [] });
});

test("what another session of the agent asks is no matter of a policy, and says nothing of this one's calls", () => {
  const one = witness();
  const toolCall = { toolCallId: "t", kind: "edit", locations: [{ path: "/nowhere/b" }] };
  const event = { type: "permission", request: 1, toolCall, options: [], agentSession: "its-child" } as const;
  expect(one.see(event)).toBeUndefined();
  expect(asks(one, { toolCallId: "t" })).toMatchObject({ kindsBefore: [], locations: [] });
});

test("every kind that was ever said of a call is remembered, also that of an earlier question", () => {
  const one = witness();
  asks(one, { toolCallId: "t", kind: "read" });
  one.see(says({ toolCallId: "t", kind: "edit" }));
  expect(asks(one, { toolCallId: "t", kind: "read" }).kindsBefore).toEqual(["read", "edit"]);
});

test("a diff is found in what was said before too, and one without a path leads nowhere", () => {
  const one = witness();
  one.see(says({ toolCallId: "t", content: [{ type: "diff", path: "/nowhere/d" }, { type: "diff" }, { type: "x" }] }));
  expect(asks(one, { toolCallId: "t" }).diffs).toEqual([
    { path: "/nowhere/d", real: "/nowhere/d" },
    { path: "", real: undefined },
  ]);
});

test("more paths than are looked at are said to be too many, and none is looked up", () => {
  const locations = ["/a", "/b", "/c", "/d"].map((path) => ({ path }));
  const findings = asks(witness(), { toolCallId: "t", locations });
  expect(findings).toMatchObject({ tooMany: true });
  expect(findings.locations.map(({ real }) => real)).toEqual([undefined, undefined, undefined]);
});

test("what could not be read of a call makes it doubtful for good", () => {
  const one = witness();
  one.see(says({ toolCallId: "t", locations: [{ path: "/nowhere/a" }], incomplete: true }));
  expect(asks(one, { toolCallId: "t", locations: [{ path: "/nowhere/b" }] })).toMatchObject({ incomplete: true });
  expect(asks(one, { toolCallId: "u", locations: [{ path: "/nowhere/b" }] })).toMatchObject({ incomplete: false });
});

test("of many calls the oldest are forgotten", () => {
  const one = witness(2);
  for (const toolCallId of ["a", "b", "c"]) one.see(says({ toolCallId, kind: "read" }));
  expect(asks(one, { toolCallId: "a" }).kindsBefore).toEqual([]);
  expect(asks(one, { toolCallId: "c" }).kindsBefore).toEqual(["read"]);
});

test("kinds and paths that are too long to be held for each call are those of no rule", () => {
  const one = witness();
  one.see(
    says({ toolCallId: "t", kind: "read", locations: [{ path: "/nowhere/a" }, { path: `/${"x".repeat(5_000)}` }] }),
  );
  one.see(says({ toolCallId: "t", kind: "x".repeat(100_000) }));
  const findings = asks(one, { toolCallId: "t", kind: "read" });
  expect(findings.kindsBefore).toEqual(["read", "(too long)"]);
  expect(paths(findings)).toEqual(["/nowhere/a", ""]);
  expect(findings.locations[1]?.real).toBeUndefined();
});

test("of one list of paths no more is held than a bound for them all", () => {
  const many = new PolicyWitness({ policy: () => undefined, reserved: nothingReserved, pathsMax: 64, callsMax: 8 });
  const path = `/${"x".repeat(4_000)}`;
  const { locations } = asks(many, { toolCallId: "t", locations: Array.from({ length: 20 }, () => ({ path })) });
  expect(locations.filter((place) => place.path === path)).toHaveLength(8);
});
