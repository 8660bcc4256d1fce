// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { SessionScript } from "../testing/session-script.ts";
import { findTool, recordTool, emptyLedger, listOpenTools } from "./tool-ledger.ts";

function inFirstTurn(): SessionScript {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  return script;
}

test("a tool call reopened while its agent is being stopped is closed before its session", () => {
  const script = inFirstTurn();
  script.tool("t", "in_progress");
  script.command("agent.session.close", {});
  script.tool("t", "in_progress");
  expect(script.put({ type: "stopped" })).toMatchObject([
    { kind: "tool_call", turn: 1, late: true, tool_call_id: "t", status: "failed", closed_by: "agentd" },
    { kind: "state", state: "closed" },
  ]);
});

test("a tool call reopened after its session was lost is closed at once, since no later agentd would", () => {
  const script = inFirstTurn();
  script.exits(1);
  expect(script.tool("t", "in_progress")).toMatchObject([
    { kind: "tool_call", tool_call_id: "t", status: "in_progress" },
    { kind: "tool_call", tool_call_id: "t", status: "failed", closed_by: "agentd" },
  ]);
  expect(script.put({ type: "stopped" })).toEqual([]);
});

test("a tool call reopened in a later turn is closed with that turn and still belongs to its own", () => {
  const script = inFirstTurn();
  script.tool("t", "in_progress");
  script.answered(1);
  script.prompt("two");
  script.tool("t", "in_progress");
  const [closed] = script.answered(2);
  expect(closed).toMatchObject({ kind: "tool_call", turn: 1, late: true, status: "failed", closed_by: "agentd" });
  script.prompt("three");
  expect(script.tool("t", "completed")[0]).toMatchObject({ turn: 1, late: true });
});

test("a late update without a status, or with a final one, reopens nothing", () => {
  const ended = recordTool(emptyLedger, "t", 1, "completed");
  for (const status of [undefined, null, "completed", "failed"]) {
    expect(recordTool(ended, "t", 1, status)).toBe(ended);
  }
  expect(listOpenTools(recordTool(ended, "t", 1, "in_progress"))).toEqual(["t"]);
});

test("the newest closed calls are remembered with their turns, and the oldest are forgotten", () => {
  let ledger = emptyLedger;
  for (let call = 1; call <= 5000; call += 1)
    ledger = recordTool(recordTool(ledger, `t${call}`, call, null), `t${call}`, call, "failed");
  expect(findTool(ledger, "t5000")).toEqual({ turn: 5000 });
  expect(findTool(ledger, "t1000")).toEqual({ turn: 1000 });
  expect(findTool(ledger, "t1")).toBeUndefined();
  expect(listOpenTools(ledger)).toEqual([]);
});

test("a change copies little, however many calls are closed", () => {
  let ledger = emptyLedger;
  for (let call = 1; call <= 2000; call += 1) ledger = recordTool(ledger, `t${call}`, 1, "completed");
  const next = recordTool(ledger, "one more", 1, "completed");
  const same = next.closed.filter((piece) => ledger.closed.includes(piece));
  expect(same.length).toBeGreaterThanOrEqual(ledger.closed.length - 1);
});
