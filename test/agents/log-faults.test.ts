// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { logFaults } from "./log-faults.ts";

type Written = Readonly<Record<string, unknown>> & { readonly kind: string };

const closed: Written = { kind: "state", state: "closed" };
const started: Written = { kind: "turn", turn: 1, phase: "started" };
const ended: Written = { kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" };
const permission = (phase: string, more = {}): Written => ({ kind: "permission", request: "s-1", phase, ...more });
const call = (status?: string): Written => ({ kind: "tool_call", tool_call_id: "c", ...(status ? { status } : {}) });

test("a log in which everything that began has ended has no faults", () => {
  const command = { kind: "command", verb: "agent.session.prompt" };
  const reply = { kind: "reply", verb: "agent.session.prompt", command_seq: 1, rc: 0 };
  const asked = [permission("requested"), permission("resolved"), permission("sent")];
  expect(faultsOf(command, reply, started, call("pending"), ...asked, call("failed"), call(), ended, closed)).toEqual(
    [],
  );
});

test("a gap in the sequence is a fault", () => {
  const [first, second] = logOf(started, ended, closed);
  expect(logFaults([first!, { ...second!, seq: 3 }, { ...logOf(closed)[0]!, seq: 3 }])).toEqual([
    "seq 3 stands at place 2",
  ]);
});

test.each([
  ["without an end", [started], "turn 1 went started"],
  ["with two ends", [started, ended, ended], "turn 1 went started, ended, ended"],
  ["that ends without having begun", [ended], "turn 1 went ended"],
])("a turn %s is a fault", (_, entries, fault) => {
  expect(faultsOf(...entries, closed)).toEqual([fault]);
});

test("a tool call that was opened again after its end is a fault", () => {
  expect(faultsOf(call("completed"), call("in_progress"), closed)).toEqual(["the tool call c was left in_progress"]);
});

test.each([
  ["left open", [permission("requested")], "requested"],
  ["resolved but never sent", [permission("requested"), permission("resolved")], "requested, resolved"],
  [
    "sent before it was resolved",
    [permission("requested"), permission("sent"), permission("resolved")],
    "requested, sent, resolved",
  ],
  [
    "changed after it was resolved",
    [permission("requested"), permission("resolved"), permission("changed"), permission("sent")],
    "requested, resolved, changed, sent",
  ],
])("a permission %s is a fault", (_, entries, phases) => {
  expect(faultsOf(...entries, closed)).toEqual([`the permission s-1 went ${phases}`]);
});

test("a permission whose tool call was changed while it was open is none", () => {
  const phases = ["requested", "changed", "changed", "resolved", "sent"];
  expect(faultsOf(...phases.map((phase) => permission(phase)), closed)).toEqual([]);
});

test("a permission that the agent withdrew needs nothing sent", () => {
  expect(faultsOf(permission("requested"), permission("resolved", { via: "agent" }), closed)).toEqual([]);
});

test("a command without a reply is a fault", () => {
  expect(faultsOf({ kind: "command", verb: "agent.session.cancel" }, closed)).toEqual([
    "the command agent.session.cancel at 1 has 0 replies",
  ]);
});

test("a session that is not closed is a fault", () => {
  expect(faultsOf({ kind: "state", state: "closing" })).toEqual(["the last state is closing"]);
});

function faultsOf(...written: readonly Written[]): string[] {
  return logFaults(logOf(...written));
}

function logOf(...written: readonly Written[]): Entry[] {
  return written.map(
    (entry, index) => ({ log: "l", session: "s", seq: index + 1, at: "", ...entry }) as unknown as Entry,
  );
}
