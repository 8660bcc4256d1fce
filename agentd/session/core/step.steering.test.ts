// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { SteeringOutcome } from "../../../acp-client/model.ts";
import { phaseOf } from "./state.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

/** A session whose first turn runs, of an agent that can be steered. */
function running(steering = true): SessionScript {
  const script = new SessionScript();
  script.up([], { steering });
  script.prompt("go");
  return script;
}

const answers = (script: SessionScript, value: SteeringOutcome, turn = 2) =>
  script.put({ type: "steered", turn, outcome: { ok: true, value } });
const fails = (script: SessionScript, failure: AgentFailure, turn = 2) =>
  script.put({ type: "steered", turn, outcome: { ok: false, failure } });
const steers = (script: SessionScript) => script.effects.filter(({ type }) => type === "steer");
const reply = (script: SessionScript) => script.replies.at(-1)?.body;

test("a prompt for the running turn is logged and answered before the agent is asked, and ends as steered", () => {
  const script = running();
  expect(kinds(script.prompt("look here", "steer"))).toEqual(["command", "turn:2:queued", "message", "reply"]);
  expect(script.entries.at(-3)).toMatchObject({ turn: 2, steering: "asked" });
  expect(reply(script)).toMatchObject({ turn: 2, queued: true, steering: true });
  expect(steers(script)).toEqual([{ type: "steer", turn: 2, blocks: [{ type: "text", text: "look here" }] }]);
  expect(answers(script, "injected")).toEqual([
    { kind: "turn", turn: 2, phase: "ended", stop_reason: "steered", sent: true, steering: "injected", into: 1 },
  ]);
  expect(kinds(script.answered(1))).toEqual(
    ["turn:1:ended", "state"].map((kind) => (kind === "state" ? "state:idle" : kind)),
  );
});

test("a turn that the agent began by itself ends the prompt too, and names no other turn", () => {
  const script = running();
  script.prompt("look here", "steer");
  const [ended] = answers(script, "startedNewTurn");
  expect(ended).toMatchObject({ stop_reason: "steered", steering: "startedNewTurn" });
  expect(ended).not.toHaveProperty("into");
});

test.each<[string, (script: SessionScript) => readonly object[], object]>([
  ["needs a turn of its own", (script) => answers(script, "promptRequired"), { steering: "promptRequired" }],
  ["failed", (script) => answers(script, "failed"), { steering: "failed" }],
  [
    "was refused",
    (script) => fails(script, { code: "AGENT_ERROR", message: "no", rpc: { code: -32601, message: "no" } }),
    { steering: "failed", error: { error_code: "AGENT_ERROR" } },
  ],
  [
    "could not be sent",
    (script) => fails(script, { code: "UNSUPPORTED", message: "no images" }),
    { steering: "failed", error: { error_code: "UNSUPPORTED" } },
  ],
])("a prompt for the running turn that %s waits like a queued one", (_, answer, members) => {
  const script = running();
  script.prompt("look here", "steer");
  expect(answer(script)).toMatchObject([{ kind: "turn", turn: 2, phase: "queued", ...members }]);
  expect(kinds(script.answered(1))).toEqual(["turn:1:ended", "turn:2:started"]);
  expect(script.effects.findLast(({ type }) => type === "prompt")).toMatchObject({ turn: 2 });
});

test("a prompt of which the agent does not say what became of it is not sent again", () => {
  const script = running();
  script.prompt("look here", "steer");
  expect(fails(script, { code: "AGENT_PROTOCOL", message: "no answer within 50 s" })).toMatchObject([
    { turn: 2, phase: "ended", stop_reason: "failed", sent: "unknown", error: { error_code: "AGENT_PROTOCOL" } },
  ]);
  expect(kinds(script.answered(1))).toEqual(["turn:1:ended", "state:idle"]);
});

test("where the agent cannot be steered, or the turn is being cancelled, the prompt is queued", () => {
  for (const script of [running(false), running()]) {
    script.cancel();
    script.prompt("look here", "steer");
    expect(reply(script)).toMatchObject({ turn: 2, queued: true, steering: false });
    expect(steers(script)).toEqual([]);
    expect(kinds(script.answered(1))).toEqual(["turn:1:ended", "turn:2:started"]);
  }
});

test("an idle session runs the prompt", () => {
  const script = running();
  script.answered(1);
  script.prompt("look here", "steer");
  expect(reply(script)).toMatchObject({ turn: 2, queued: false, steering: false });
  expect(script.state.run).toMatchObject({ phase: "turn", turn: { turn: 2 } });
});

test.each<[SteeringOutcome, string[], string]>([
  ["injected", ["turn:2:ended", "state:idle"], "idle"],
  ["promptRequired", ["turn:2:queued", "turn:2:started"], "turn"],
])("a turn that ends before the answer waits for it: %s", (outcome, entries, phase) => {
  const script = running();
  script.prompt("look here", "steer");
  expect(kinds(script.answered(1))).toEqual(["turn:1:ended"]);
  expect(phaseOf(script.state)).toBe("running");
  // Nobody cancels, so a question is asked.
  expect(kinds(script.asks(1))).toEqual(["tool_call", "permission:requested"]);
  script.command("agent.permission.answer", { request: `${script.state.id}-1`, option: "allow_once-0" });
  script.tool("tool", "completed");
  expect(kinds(answers(script, outcome))).toEqual(entries);
  expect(script.state.run.phase).toBe(phase);
});

test("a prompt that is cancelled while the agent is asked may have been sent, and is told if it was", () => {
  const script = running();
  script.prompt("look here", "steer");
  expect(script.cancel(2)).toContainEqual({
    kind: "turn",
    turn: 2,
    phase: "ended",
    stop_reason: "cancelled",
    sent: "unknown",
  });
  expect(answers(script, "injected")).toMatchObject([{ kind: "diagnostic", what: "steered-late", turn: 2 }]);
});

test("a session that ends meanwhile says that the prompt may have been sent", () => {
  const script = running();
  script.prompt("look here", "steer");
  expect(script.exits()).toContainEqual(
    expect.objectContaining({ turn: 2, phase: "ended", stop_reason: "interrupted", sent: "unknown" }),
  );
  expect(answers(script, "promptRequired")).toEqual([]);
});

test("prompts that were queued before keep their place", () => {
  const script = running();
  script.prompt("second", "queue");
  script.prompt("third", "steer");
  script.answered(1);
  expect(script.state.run).toMatchObject({ phase: "turn", turn: { turn: 2 } });
  expect(answers(script, "injected", 3)).toMatchObject([{ turn: 3, stop_reason: "steered", into: 2 }]);
});
