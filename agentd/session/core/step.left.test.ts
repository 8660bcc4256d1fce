// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { SessionInput } from "./input.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

const minute = 60_000;
const leave = { type: "editor_left", citizen: "acp-abc", cancelsTurns: true, isLast: true } as const;
const timer = { type: "timer", timer: "left", key: "" } as const;

function up(): SessionScript {
  const script = new SessionScript({}, { idleTimeoutMs: null });
  script.up();
  return script;
}

const isArmed = ({ effects }: SessionScript, before: number): boolean =>
  effects.slice(before).some((effect) => effect.type === "arm" && effect.timer === "left");

/** The entries of 10 minutes later. */
function later(script: SessionScript) {
  script.now += 10 * minute;
  return script.put(timer);
}

test("an idle session that its last editor has left is closed by agentd, whose command says why", () => {
  const script = up();
  const before = script.effects.length;
  expect(script.put(leave)).toEqual([]);
  expect(script.effects.slice(before)).toEqual([{ type: "arm", timer: "left", key: "", afterMs: 10 * minute }]);
  const entries = later(script);
  expect(kinds(entries)).toEqual(["command", "state:closing", "reply"]);
  expect(entries).toMatchObject([
    {
      verb: "agent.session.close",
      by: null,
      origin: "agentd",
      args: { reason: "its editor acp-abc left 10 minutes ago" },
    },
    { reason: "left" },
    { rc: 0, body: { state: "closing" } },
  ]);
  expect(script.put({ type: "stopped" })).toMatchObject([{ kind: "state", state: "closed", reason: "left" }]);
});

test("the time begins again when a turn or a question ends", () => {
  const script = new SessionScript({}, { idleTimeoutMs: null });
  script.put(leave);
  expect(isArmed(script, 0)).toBe(false);
  script.up();
  expect(isArmed(script, 0)).toBe(true);
  script.asks(1);
  expect(later(script)).toEqual([]);
  const before = script.effects.length;
  script.says({ type: "withdrawn", request: 1 });
  expect(isArmed(script, before)).toBe(true);
});

test("a running turn is never ended so, and its end begins the time, also one that was kept running", () => {
  const script = up();
  script.prompt("one");
  script.put({ ...leave, citizen: "tester", cancelsTurns: false });
  expect(later(script)).toEqual([]);
  const before = script.effects.length;
  script.answered(1);
  expect(isArmed(script, before)).toBe(true);
  expect(later(script)[0]).toMatchObject({ args: { reason: "its editor tester left 20 minutes ago" } });
});

test.each<[string, SessionInput | ((script: SessionScript) => void)]>([
  ["another editor is attached", { type: "editor_attached" }],
  ["somebody else has prompted", (script) => (script.prompt("mine"), script.answered(1))],
  ["somebody else has renamed it", (script) => void script.command("agent.session.rename", { name: "mine" })],
  [
    "somebody has answered a question elsewhere",
    (script) => {
      script.asks(1);
      script.put({ type: "people_answered", request: `${script.state.id}-1`, option: "allow_once-0", by: "notifyd" });
    },
  ],
])("it stays when %s", (_, use) => {
  const script = up();
  script.put(leave);
  if (typeof use === "function") use(script);
  else script.put(use);
  expect(script.refusals).toEqual([]);
  expect(script.state.left).toBeNull();
  expect(later(script)).toEqual([]);
});

test("it stays while another editor has a lease, and when it was resumed by somebody without one", () => {
  const script = up();
  script.put({ ...leave, isLast: false });
  expect(later(script)).toEqual([]);
  script.put(leave);
  later(script);
  script.put({ type: "stopped" });
  script.resume(false);
  script.up();
  expect(later(script)).toEqual([]);
});

test("what the editor itself had sent before does not keep it", () => {
  const script = up();
  script.prompt("early");
  script.answered(1);
  script.put({ ...leave, citizen: "tester" });
  script.prompt("late");
  script.answered(2);
  expect(kinds(later(script))).toContain("state:closing");
});
