// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { SessionScript } from "./testing/session-script.ts";
import { endTurnTools, findTool, noteTool, noTools, openTools } from "./tool-ledger.ts";

function inFirstTurn(): SessionScript {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  return script;
}

test("a tool call that its agent opens anew while it is being ended is closed before its session is", () => {
  const script = inFirstTurn();
  script.tool("t", "in_progress");
  script.command("agent.session.close", {});
  script.tool("t", "in_progress");
  expect(script.put({ type: "stopped" })).toMatchObject([
    { kind: "tool_call", turn: 1, late: true, tool_call_id: "t", status: "failed", closed_by: "agentd" },
    { kind: "state", state: "closed" },
  ]);
});

test("a tool call opened anew after its session was lost is closed at once: no later agentd would look for it", () => {
  const script = inFirstTurn();
  script.exits(1);
  expect(script.tool("t", "in_progress")).toMatchObject([
    { kind: "tool_call", tool_call_id: "t", status: "in_progress" },
    { kind: "tool_call", tool_call_id: "t", status: "failed", closed_by: "agentd" },
  ]);
  expect(script.put({ type: "stopped" })).toEqual([]);
});

test("a tool call opened anew in a later turn is closed with that turn, late, and still belongs to its own", () => {
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

test("a late update that says no status, or a final one, opens nothing", () => {
  const ended = endTurnTools(noteTool(noTools, "t", 1, "completed"), 1);
  for (const status of [undefined, null, "completed", "failed"]) {
    expect(noteTool(ended, "t", 1, status)).toBe(ended);
  }
  expect(openTools(noteTool(ended, "t", 1, "in_progress"))).toEqual(["t"]);
});

test("the calls of the newest turns are remembered, and those of old ones forgotten", () => {
  let ledger = noTools;
  for (let turn = 1; turn <= 100; turn += 1) ledger = endTurnTools(noteTool(ledger, `t${turn}`, turn, "failed"), turn);
  expect(findTool(ledger, "t100")).toEqual({ turn: 100 });
  expect(findTool(ledger, "t37")).toEqual({ turn: 37 });
  expect(findTool(ledger, "t36")).toBeUndefined();
});
