// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { isLive, phaseOf } from "./state.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

test("an agent that exits without answering fails its turn, and its text is kept", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.text("all of it");
  script.put({
    type: "prompt_done",
    turn: 1,
    outcome: { ok: false, failure: { code: "AGENT_EXITED", message: "" } },
  });
  const entries = script.exits(0);
  expect(entries[0]).toMatchObject({ phase: "ended", stop_reason: "failed", error: { error_code: "AGENT_EXITED" } });
  expect(entries[1]).toMatchObject({ state: "lost" });
});

test("an agent that does not start leaves a failed session, and its prompt unsent", () => {
  const script = new SessionScript({ prompt: "one" });
  const failure = { code: "AGENT_AUTH", message: "log in", methods: [] } as const;
  const entries = script.put({ type: "open_failed", failure });
  expect(entries[0]).toMatchObject({ turn: 1, phase: "ended", stop_reason: "interrupted", sent: false });
  expect(entries[1]).toMatchObject({ state: "closing", error: { error_code: "AGENT_AUTH" } });
  expect(script.effects.at(-1)).toMatchObject({ type: "stop_agent" });
  expect(script.put({ type: "stopped" })).toMatchObject([{ state: "failed", error: { error_code: "AGENT_AUTH" } }]);
  expect(script.state.run).toMatchObject({ phase: "ended", state: "failed", error: { error_code: "AGENT_AUTH" } });
});

/** Resumed after this, as a command of a person. */
function resumed(fresh: boolean, end: (script: SessionScript) => void): SessionScript {
  const script = new SessionScript();
  script.up();
  end(script);
  script.resume(fresh);
  return script;
}
const closed = (script: SessionScript): void => {
  script.command("agent.session.close", {});
  script.put({ type: "stopped" });
};
const lost = (script: SessionScript): void => void script.exits(1);

test.each([
  ["closed", closed],
  ["lost", lost],
])("a %s session whose agent refuses to restore it is closed, with the reason", (_, end) => {
  const script = resumed(false, end);
  const error = { error_code: "SESSION_NOT_RESUMABLE" };
  expect(script.put({ type: "not_resumable" }).at(-1)).toMatchObject({ state: "closing", error });
  expect(script.put({ type: "stopped" })).toMatchObject([{ state: "closed", error }]);
  expect(script.state.run).toMatchObject({ phase: "ended", state: "closed", error });
});

test("so is one whose agent does not come up for it, also afresh, and after agentd died meanwhile", () => {
  const script = resumed(true, closed);
  const exit = { code: 1, signal: null };
  const entries = script.put({ type: "agent", event: { type: "exited", exit, stderrTail: "" } });
  expect(entries.at(-1)).toMatchObject({ state: "closed", error: { error_code: "AGENT_EXITED" } });
  script.resume(false);
  script.put({ type: "not_resumable" });
  const recovered = script.put({ type: "recover", turns: [], openTools: [], processesEnded: 0 });
  expect(recovered.at(-1)).toMatchObject({ state: "closed", error: { error_code: "SESSION_NOT_RESUMABLE" } });
});

test("a session that never came up has failed, also after a resume", () => {
  const script = new SessionScript();
  const failure = { code: "AGENT_UNAVAILABLE", message: "no such program" } as const;
  script.put({ type: "open_failed", failure });
  script.resume(false);
  expect(script.put({ type: "open_failed", failure }).at(-1)).toMatchObject({ state: "failed" });
});

test("a session whose agent failed to start counts as live, and cannot be resumed, until the process is gone", () => {
  const script = new SessionScript();
  script.put({ type: "open_failed", failure: { code: "AGENT_PROTOCOL", message: "silent" } });
  expect(isLive(script.state)).toBe(true);
  script.command("agent.session.close", {});
  expect(script.put({ type: "stopped" })).toMatchObject([{ state: "closed", reason: "asked" }]);
});

test.each([
  [{ code: 1, signal: null }, "the agent exited (exit code 1)"],
  [{ code: null, signal: "SIGKILL" }, "the agent exited (signal SIGKILL)"],
  [
    { code: null, signal: "SIGTERM", stdoutClosed: true },
    "the agent closed its stdout without exiting and was stopped",
  ],
] as const)("an agent that ends with %j fails the session at once, with the first cause", (exit, message) => {
  const script = new SessionScript();
  const entries = script.put({ type: "agent", event: { type: "exited", exit, stderrTail: "" } });
  expect(entries.at(-1)).toMatchObject({ state: "failed", error: { error_code: "AGENT_EXITED", message } });
});

test("an option of the start that the agent refuses fails the session before anything is prompted", () => {
  const script = new SessionScript({ prompt: "one", config: { mode: "plan" } });
  script.up([["mode", "auto", "plan"]]);
  expect(script.effects.at(-1)).toMatchObject({ type: "set_option", option: "mode", value: "plan" });
  const failure = { code: "AGENT_ERROR", message: "no" } as const;
  script.put({ type: "option_set", seq: null, option: "mode", outcome: { ok: false, failure } });
  expect(script.state.run).toMatchObject({ phase: "closing", error: { error_code: "AGENT_ERROR" } });
  expect(script.effects.some(({ type }) => type === "prompt")).toBe(false);
});

test.each([
  [{ bogus: "1" }, { option: "bogus", options: ["mode"], message: 'test offers no option "bogus"; there are mode' }],
  [
    { mode: "bogus" },
    { option: "mode", values: ["auto", "plan"], message: '"mode" has no value "bogus"; there are auto, plan' },
  ],
])(
  "an option of the start that the agent does not offer, %j, is unknown, and the agent is not asked",
  (config, body) => {
    const script = new SessionScript({ prompt: "one", config });
    const entries = script.up([["mode", "auto", "plan"]]);
    expect(entries.at(-1)).toMatchObject({ state: "closing", error: { error_code: "OPTION_UNKNOWN", ...body } });
    expect(script.effects.map(({ type }) => type).filter((type) => type === "set_option" || type === "prompt")).toEqual(
      [],
    );
  },
);

test("of hundreds of values the error names some and counts the rest", () => {
  const script = new SessionScript({ config: { mode: "bogus" } });
  const values = Array.from({ length: 300 }, (_, index) => `m${index}`);
  const error = script.up([["mode", "m0", ...values.slice(1)]]).at(-1);
  expect(error).toMatchObject({ error: { message: expect.stringMatching(/ m11 and 288 more$/), values } });
});

test("closing ends the running turn and the queued ones, and the session is closed when the agent is gone", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.prompt("two", "queue");
  script.command("agent.session.close", {});
  expect(phaseOf(script.state)).toBe("closing");
  script.exits();
  expect(phaseOf(script.state)).toBe("closing");
  expect(kinds(script.put({ type: "stopped" }))).toEqual(["state:closed"]);
});

test("late output after a close does not reopen the session", () => {
  const script = new SessionScript({ prompt: "one" });
  script.command("agent.session.close", {});
  script.up();
  expect(phaseOf(script.state)).toBe("closing");
  expect(script.effects.some(({ type }) => type === "prompt")).toBe(false);
});

test("an idle session is closed after its timeout, with the reason", () => {
  const script = new SessionScript();
  script.up();
  expect(script.effects.at(-1)).toMatchObject({ type: "arm", timer: "idle", afterMs: 1_800_000 });
  expect(script.put({ type: "timer", timer: "idle", key: "" })[0]).toMatchObject({
    state: "closing",
    reason: "idle",
  });
});

test("a second recovery changes nothing", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  const recover = {
    type: "recover",
    turns: [{ turn: 1, started: true, answered: false }],
    openTools: [],
    processesEnded: 0,
  } as const;
  const first = script.put(recover);
  expect(kinds(first)).toEqual(["permission:resolved", "permission:unsent", "turn:1:ended", "state:lost"]);
  expect(first[2]).toMatchObject({ stop_reason: "interrupted", sent: "unknown" });
  expect(script.put(recover)).toEqual([]);
});

test("an answer that agentd died over is logged as possibly sent and is never sent later", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", option: "allow_once-0" });
  script.effects.length = 0;
  const entries = script.put({ type: "recover", turns: [], openTools: [], processesEnded: 0 });
  expect(entries).toContainEqual({
    kind: "permission",
    request: "aaaaaaaaaaaa-1",
    phase: "sent",
    sent: "unknown",
  });
  expect(kinds(entries)).not.toContain("permission:unsent");
  expect(script.effects).toEqual([]);
});

test("a command given to the agent is answered as AGENT_EXITED when a full log ends the agent", () => {
  const script = new SessionScript();
  script.up([["mode", "a", "b"]]);
  script.command("agent.session.set_config", { option: "mode", value: "b", command_id: "set" });
  const entries = script.put({ type: "ended_unlogged" });
  expect(entries[0]).toMatchObject({ kind: "reply", command_id: "set", rc: 10, body: { error_code: "AGENT_EXITED" } });
  expect(entries.at(-1)).toMatchObject({ kind: "state", state: "lost", error: { error_code: "STORE_FAILED" } });
});
