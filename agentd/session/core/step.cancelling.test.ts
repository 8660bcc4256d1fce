// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { phaseOf } from "./state.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { option, SessionScript, testIdentity } from "./testing/session-script.ts";

const left = { type: "editor_left", cancelsTurns: true, isLast: true } as const;

test("cancel tells the agent, then cancels every pending request, and the turn ends when the agent answers", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  const entries = script.cancel();
  expect(kinds(entries)).toEqual(["command", "permission:resolved", "state:running", "reply"]);
  expect(script.effects.slice(-4).map(({ type }) => type)).toEqual(["cancel", "disarm", "answer_request", "arm"]);
  expect(script.answered(1, "cancelled").at(-2)).toMatchObject({ stop_reason: "cancelled" });
});

test("an error after a cancel ends the turn as cancelled", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.cancel();
  const failure = { code: "AGENT_ERROR", message: "aborted" } as const;
  const [ended] = script.put({ type: "prompt_done", turn: 1, outcome: { ok: false, failure } });
  expect(ended).toMatchObject({ phase: "ended", stop_reason: "cancelled" });
  expect(ended).not.toHaveProperty("error");
});

test("a cancel that the agent ignores ends the turn by force, and the session drains until the agent answers", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.cancel();
  const forced = script.put({ type: "timer", timer: "cancel", key: "1" });
  expect(forced[0]).toMatchObject({ phase: "ended", stop_reason: "cancelled", forced: true });
  expect(forced[1]).toMatchObject({ state: "running", reason: "draining" });
  expect(kinds(script.prompt("two"))).toContain("turn:2:queued");
  expect(script.effects.some((effect) => effect.type === "prompt" && effect.turn === 2)).toBe(false);
  expect(kinds(script.answered(1))).toEqual(["turn:2:started", "state:running"]);
  expect(script.effects.some((effect) => effect.type === "prompt" && effect.turn === 2)).toBe(true);
});

/** Its first turn was cancelled, ended by force and never answered by the agent; two more wait. */
function undrained(offers: Parameters<SessionScript["up"]>[1]): SessionScript {
  const script = new SessionScript();
  script.up([["mode", "plan", "edit"]], offers);
  script.prompt("one");
  script.cancel();
  script.put({ type: "timer", timer: "cancel", key: "1" });
  script.prompt("two");
  script.prompt("three");
  return script;
}

test.each(["resume", "load"])(
  "an agent that can %s is stopped, and a new one restores the session and runs the queue",
  (method) => {
    const script = undrained({ [method]: true });
    const [started, ...more] = script.put({ type: "timer", timer: "drain", key: "1" });
    expect(started).toMatchObject({ kind: "state", state: "starting", agent: "test", cwd: "/work" });
    expect(started).toMatchObject({ reason: "the agent did not end its cancelled turn" });
    expect(more).toEqual([]);
    expect(script.effects.slice(-2).map(({ type }) => type)).toEqual(["stop_agent", "launch"]);
    expect(script.state.runSeq).toBe(script.state.seq);
    expect(kinds(script.prompt("four"))).toContain("turn:4:queued");
    const identity = { ...testIdentity, capabilities: { ...testIdentity.capabilities, [method]: true } };
    const opened = { sessionId: "its-own", options: [option("mode", "plan", "edit")] };
    const chosen = [["mode", "edit"]] as const;
    script.put({ type: "opened", identity, opened, resumed: method === "load" ? "load" : "resume", chosen });
    expect(script.effects.at(-1)).toMatchObject({ type: "set_option", option: "mode", value: "edit" });
    const outcome = { ok: true, value: { options: [option("mode", "edit", "plan")] } } as const;
    expect(kinds(script.put({ type: "option_set", seq: null, option: "mode", outcome }))).toContain("turn:2:started");
    expect(script.effects.findLast(({ type }) => type === "prompt")).toMatchObject({ turn: 2 });
  },
);

test("a session that a new agent fails to restore is lost, and queued prompts are not sent", () => {
  const script = undrained({ resume: true });
  script.put({ type: "timer", timer: "drain", key: "1" });
  const failed = script.put({ type: "not_resumable" });
  expect(failed.slice(0, 2)).toMatchObject([2, 3].map((turn) => ({ turn, stop_reason: "interrupted", sent: false })));
  const error = { error_code: "SESSION_NOT_RESUMABLE" };
  expect(failed.at(-1)).toMatchObject({ state: "closing", error });
  expect(script.effects.at(-1)).toEqual({ type: "stop_agent" });
  expect(script.put({ type: "stopped" }).at(-1)).toMatchObject({ state: "lost", error });
});

test("a session that does not drain is lost, and its queued prompts end interrupted and unsent", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.cancel();
  script.put({ type: "timer", timer: "cancel", key: "1" });
  script.prompt("two");
  const lost = script.put({ type: "timer", timer: "drain", key: "1" });
  expect(lost[0]).toMatchObject({ turn: 2, stop_reason: "interrupted", sent: false });
  expect(phaseOf(script.state)).toBe("lost");
});

test("a late answer to a forced turn does not end the next one", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.cancel();
  script.put({ type: "timer", timer: "cancel", key: "1" });
  script.prompt("two");
  script.answered(1);
  expect(script.answered(1)).toEqual([]);
  expect(script.state.run).toMatchObject({ phase: "turn", turn: { turn: 2 } });
});

test("cancel with nothing running changes nothing, and the next prompt runs", () => {
  const script = new SessionScript();
  script.up();
  script.cancel();
  script.cancel();
  expect(script.replies.at(-1)?.body).toMatchObject({ turns: [] });
  expect(kinds(script.prompt("one"))).toContain("turn:1:started");
});

test("a single queued turn can be cancelled", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.prompt("two", "queue");
  script.prompt("three", "queue");
  expect(kinds(script.cancel(2))).toEqual(["command", "turn:2:ended", "reply"]);
  expect(kinds(script.answered(1))).toContain("turn:3:started");
});

test("a permission requested while a turn is being cancelled is cancelled at once", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.cancel();
  expect(kinds(script.asks(3))).toEqual(["tool_call", "permission:requested", "permission:resolved"]);
  expect(script.effects.at(-1)).toMatchObject({ type: "answer_request", key: 3, answer: { outcome: "cancelled" } });
});

test("an editor that has left has its running turn and its queued ones cancelled by agentd, and nobody else's", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  script.prompt("two", "queue");
  expect(script.put({ ...left, citizen: "acp-other" })).toEqual([]);
  const entries = script.put({ ...left, citizen: "tester" });
  expect(kinds(entries)).toEqual(["command", "permission:resolved", "turn:2:ended", "state:running", "reply"]);
  expect(entries[0]).toMatchObject({ verb: "agent.session.cancel", by: null, origin: "agentd" });
  expect(entries[1]).toMatchObject({ outcome: "cancelled", via: "cancel", by: null });
  expect(entries.at(-1)).toMatchObject({ rc: 0, body: { turns: [1, 2] } });
  expect(script.effects.filter(({ type }) => type === "cancel")).toHaveLength(1);
  expect(script.put({ ...left, citizen: "tester" })).toEqual([]);
  expect(kinds(script.answered(1, "cancelled"))).toContain("turn:1:ended");
});

test("an editor that has left has the session closed that it has started and nobody has prompted", () => {
  const script = new SessionScript();
  script.up();
  expect(script.put({ ...left, citizen: "acp-other" })).toEqual([]);
  const entries = script.put({ ...left, citizen: "tester" });
  expect(kinds(entries)).toEqual(["state:closing"]);
  expect(entries[0]).toMatchObject({ reason: "tester has left the Bus" });
  expect(script.effects).toContainEqual(expect.objectContaining({ type: "stop_agent" }));
  expect(script.put({ ...left, citizen: "tester" })).toEqual([]);
});
