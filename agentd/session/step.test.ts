// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntryContent, PermissionEntry, StateEntry, TurnEntry } from "../vocabulary/index.ts";
import { openTools } from "./tool-ledger.ts";
import { newSession, phaseOf } from "./state.ts";
import { SessionScript } from "./testing/session-script.ts";

const kinds = (entries: readonly EntryContent[]): string[] =>
  entries.map((entry) => {
    if (entry.kind === "state") return `state:${entry.state}`;
    if (entry.kind === "turn") return `turn:${entry.turn}:${entry.phase}`;
    if (entry.kind === "permission") return `permission:${entry.phase}`;
    return entry.kind;
  });

describe("a session's turns", () => {
  test("a prompt of the start waits until the agent is up and then runs without an idle in between", () => {
    const script = new SessionScript({ prompt: "hello" });
    expect(kinds(script.entries)).toEqual(["command", "state:starting", "turn:1:queued", "message", "reply"]);
    expect(kinds(script.up())).toEqual(["turn:1:started", "state:running"]);
    expect(script.effects.map(({ type }) => type)).toEqual(["launch", "prompt"]);
  });

  test("a second prompt while one runs is refused as AGENT_BUSY and leaves nothing in the log", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    const { seq } = script.state;
    expect(script.prompt("two")).toEqual([]);
    expect(script.refusals[0]).toMatchObject({ error_code: "AGENT_BUSY", turn: 1, queued: 0 });
    expect(script.state.seq).toBe(seq);
  });

  test("a queued prompt begins with the end of the turn before, with no idle between", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.prompt("two", "queue");
    expect(kinds(script.answered(1))).toEqual(["turn:1:ended", "turn:2:started"]);
    expect(phaseOf(script.state)).toBe("running");
  });

  test("the queue holds as many prompts as it may and refuses one more", () => {
    const script = new SessionScript({}, { queuedPromptsMax: 2 });
    script.up();
    script.prompt("one");
    script.prompt("two", "queue");
    script.prompt("three", "queue");
    expect(script.prompt("four", "queue")).toEqual([]);
    expect(script.refusals[0]).toMatchObject({ error_code: "AGENT_BUSY", queued: 2 });
  });

  test("text after the answer belongs to the turn that has ended, and is late", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.answered(1);
    expect(script.text("more")[0]).toMatchObject({ kind: "message", turn: 1, late: true });
  });

  test("a tool call that its agent leaves open is closed as failed when its turn ends", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.tool("t", "in_progress");
    const ended = script.answered(1);
    expect(ended[0]).toMatchObject({
      kind: "tool_call",
      tool_call_id: "t",
      status: "failed",
      closed_by: "agentd",
      turn: 1,
    });
    expect(openTools(script.state.tools)).toEqual([]);
  });

  test("of more open tool calls than there may be, the oldest is closed", () => {
    const script = new SessionScript({}, { openToolCallsMax: 2 });
    script.up();
    script.prompt("one");
    script.tool("a");
    script.tool("b", "in_progress");
    const entries = script.tool("c");
    expect(entries[0]).toMatchObject({ tool_call_id: "a", status: "failed", closed_by: "agentd" });
    expect(entries[1]).toMatchObject({ tool_call_id: "c", status: "pending" });
    expect(openTools(script.state.tools)).toEqual(["b", "c"]);
  });

  test("a tool update in a later turn belongs to the turn that created the call", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.tool("t", "in_progress");
    script.answered(1);
    script.prompt("two");
    expect(script.tool("t", "completed")[0]).toMatchObject({ turn: 1, late: true });
    expect(script.tool("u", "completed")[0]).toMatchObject({ turn: 2 });
  });

  test("an echo of the prompt is dropped, other words of a user are kept", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("say hello");
    expect(script.text("say ", "user")).toEqual([]);
    expect(script.text("hello", "user")).toEqual([]);
    expect(script.text("something else", "user")).toHaveLength(1);
  });

  test("chunks without an id share one until the role changes or a tool call comes between", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    const id = (entries: readonly EntryContent[]) => (entries[0] as { message_id: string }).message_id;
    const first = id(script.text("a"));
    expect(id(script.text("b"))).toBe(first);
    const thought = id(script.text("c", "thought"));
    expect(thought).not.toBe(first);
    script.tool("t", "completed");
    expect(id(script.text("d", "thought"))).not.toBe(thought);
  });

  test("an agentd that knows of earlier messages by the log alone makes none of their ids again", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    const id = (entries: readonly EntryContent[]) => (entries[0] as { message_id: string }).message_id;
    const before = id(script.text("a"));
    script.answered(1);
    script.state = {
      ...newSession(script.state),
      seq: script.state.seq,
      turns: 1,
      lastTurn: 1,
      life: { phase: "idle" },
    };
    script.prompt("two");
    expect(id(script.text("b"))).not.toBe(before);
  });
});

describe("an answer that is to go out while its agent is ended", () => {
  test("an answer that did not go out before its agent was gone is unsent, once", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(1);
    script.command("agent.session.close", {});
    expect(kinds(script.put({ type: "stopped" }))).toContain("permission:unsent");
    expect(kinds(script.put({ type: "stopped" }))).toEqual([]);
  });

  test("an answer that went out is not unsent", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(1);
    script.command("agent.session.close", {});
    script.put({ type: "permission_sent", request: "aaaaaaaaaaaa-1" });
    expect(kinds(script.put({ type: "stopped" }))).not.toContain("permission:unsent");
  });
});

describe("cancelling", () => {
  test("cancel tells the agent, then answers every open request, and the turn ends when the agent says so", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(0);
    const entries = script.cancel();
    expect(kinds(entries)).toEqual(["command", "permission:resolved", "state:running", "reply"]);
    expect(script.effects.slice(-4).map(({ type }) => type)).toEqual(["cancel", "disarm", "answer_permission", "arm"]);
    expect(script.answered(1, "cancelled").at(-2)).toMatchObject({ stop_reason: "cancelled" });
  });

  test("an error after a cancel is a cancelled turn", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.cancel();
    const failure = { code: "AGENT_ERROR", message: "aborted" } as const;
    const [ended] = script.put({ type: "prompt_done", turn: 1, outcome: { ok: false, failure } });
    expect(ended).toMatchObject({ phase: "ended", stop_reason: "cancelled" });
    expect(ended).not.toHaveProperty("error");
  });

  test("a cancel that the agent ignores ends the turn by force, and the session drains until the late answer", () => {
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

  test("a session that does not drain is lost, its queued prompts interrupted and not sent", () => {
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
    expect(script.state.life).toMatchObject({ phase: "turn", turn: { turn: 2 } });
  });

  test("cancel with nothing running changes nothing, and the next prompt runs", () => {
    const script = new SessionScript();
    script.up();
    script.cancel();
    script.cancel();
    expect(script.replies.at(-1)?.body).toMatchObject({ turns: [] });
    expect(kinds(script.prompt("one"))).toContain("turn:1:started");
  });

  test("a queued turn alone can be cancelled", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.prompt("two", "queue");
    script.prompt("three", "queue");
    expect(kinds(script.cancel(2))).toEqual(["command", "turn:2:ended", "reply"]);
    expect(kinds(script.answered(1))).toContain("turn:3:started");
  });

  test("a permission asked while a turn is being cancelled is answered at once, and never with a yes", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.cancel();
    expect(kinds(script.asks(3))).toEqual(["tool_call", "permission:requested", "permission:resolved"]);
    expect(script.effects.at(-1)).toMatchObject({ type: "answer_permission", key: 3, outcome: "cancelled" });
  });
});

describe("permissions", () => {
  test("a tool call first seen in a permission request is created from it", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    const entries = script.asks(0, "unseen");
    expect(entries[0]).toMatchObject({
      kind: "tool_call",
      tool_call_id: "unseen",
      title: "do it",
      status: "pending",
      turn: 1,
    });
    expect(phaseOf(script.state)).toBe("waiting");
  });

  test("a tool call seen before is not created again", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.tool("t", "in_progress");
    expect(kinds(script.asks(0, "t"))).toEqual(["permission:requested", "state:waiting"]);
  });

  test("the first answer wins, and a later one is told who was first", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(0);
    const request = "aaaaaaaaaaaa-1";
    expect(kinds(script.command("agent.permission.answer", { request, option: "allow_once-0" }))).toContain(
      "permission:resolved",
    );
    script.command("agent.permission.answer", { request, option: "reject_once-1" });
    expect(script.refusals[0]).toMatchObject({ error_code: "REQUEST_CLOSED", by: "tester", option: "allow_once-0" });
  });

  test("an option that was not offered is refused and nothing is sent", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(0);
    const before = script.effects.length;
    script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", option: "allow_always" });
    expect(script.refusals[0]).toMatchObject({ error_code: "OPTION_UNKNOWN" });
    expect(script.effects).toHaveLength(before);
  });

  test("two requests of one tool call are two requests", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(4, "same");
    script.asks(5, "same");
    script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-2", option: "allow_once-0" });
    expect(script.effects.at(-1)).toMatchObject({ key: 5 });
    expect(script.state.requests.map(({ request }) => request)).toEqual(["aaaaaaaaaaaa-1"]);
  });

  test("a request that the agent took back is closed by the agent and nothing more is sent for it", () => {
    const script = new SessionScript();
    script.up();
    script.prompt("one");
    script.asks(7);
    const entries = script.says({ type: "withdrawn", request: 7 });
    expect(entries[0]).toMatchObject({ phase: "resolved", outcome: "cancelled", via: "agent" });
    expect(script.effects.some(({ type }) => type === "answer_permission")).toBe(false);
  });

  test("whatever options are offered, what is nobody's answer never selects an allow", () => {
    const kind = fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always", "allow_persistent", "");
    const end = fc.constantFrom("timeout", "cancel", "close", "exit", "stop", "withdrawn", "answer-cancelled");
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 6 }), end, (offered, how) => {
        const script = new SessionScript();
        script.up();
        script.prompt("one");
        script.asks(0, "t", offered);
        const request = "aaaaaaaaaaaa-1";
        if (how === "timeout") script.put({ type: "timer", timer: "permission", key: request });
        if (how === "cancel") script.cancel();
        if (how === "close") script.command("agent.session.close", {});
        if (how === "exit") script.exits();
        if (how === "stop") script.put({ type: "stop" });
        if (how === "withdrawn") script.says({ type: "withdrawn", request: 0 });
        if (how === "answer-cancelled") script.command("agent.permission.answer", { request, cancelled: true });
        const resolved = script.entries.filter(
          (entry): entry is PermissionEntry => entry.kind === "permission" && entry.phase === "resolved",
        );
        expect(resolved).toHaveLength(1);
        const [{ outcome, option }] = resolved as [PermissionEntry];
        if (outcome === "cancelled") return;
        expect(how).toBe("timeout");
        expect(offered[Number(option?.split("-").at(-1))]).toBe("reject_once");
      }),
    );
  });
});

describe("ends", () => {
  test("an agent that exits without answering has failed its turn, and its text is kept", () => {
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

  test("an agent that does not come up leaves a failed session, and its prompt unsent", () => {
    const script = new SessionScript({ prompt: "one" });
    const failure = { code: "AGENT_AUTH", message: "log in", methods: [] } as const;
    const entries = script.put({ type: "open_failed", failure });
    expect(entries[0]).toMatchObject({ turn: 1, phase: "ended", stop_reason: "interrupted", sent: false });
    expect(entries[1]).toMatchObject({ state: "failed", error: { error_code: "AGENT_AUTH" } });
  });

  test("an option of the start that the agent refuses fails the session before anything is prompted", () => {
    const script = new SessionScript({ prompt: "one", config: { mode: "plan" } });
    script.up([["mode", "auto", "plan"]]);
    expect(script.effects.at(-1)).toMatchObject({ type: "set_option", option: "mode", value: "plan" });
    const failure = { code: "AGENT_ERROR", message: "no" } as const;
    script.put({ type: "option_set", seq: null, option: "mode", outcome: { ok: false, failure } });
    expect(phaseOf(script.state)).toBe("failed");
    expect(script.effects.some(({ type }) => type === "prompt")).toBe(false);
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

  test("after a close no late word of the agent brings the session back", () => {
    const script = new SessionScript({ prompt: "one" });
    script.command("agent.session.close", {});
    script.up();
    expect(phaseOf(script.state)).toBe("closing");
    expect(script.effects.some(({ type }) => type === "prompt")).toBe(false);
  });

  test("an idle session is closed after its time, with the reason", () => {
    const script = new SessionScript();
    script.up();
    expect(script.effects.at(-1)).toMatchObject({ type: "arm", timer: "idle", afterMs: 1_800_000 });
    expect(script.put({ type: "timer", timer: "idle", key: "" })[0]).toMatchObject({
      state: "closing",
      reason: "idle",
    });
  });

  test("recovering twice changes nothing more", () => {
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
});

/** Anything that may happen to a session, in any order. */
const happening = fc.oneof(
  fc.record({ what: fc.constant("prompt" as const), queue: fc.boolean() }),
  fc.record({
    what: fc.constant("cancel" as const),
    turn: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  }),
  fc.record({
    what: fc.constantFrom("up", "text", "close", "exit", "stop", "stopped", "drain", "idle", "withdrawn", "fail"),
  }),
  fc.record({
    what: fc.constant("tool" as const),
    id: fc.constantFrom("a", "b", "c"),
    status: fc.constantFrom("pending", "in_progress", "completed", undefined),
  }),
  fc.record({ what: fc.constant("ask" as const), key: fc.integer({ min: 0, max: 9 }), id: fc.constantFrom("a", "d") }),
  fc.record({ what: fc.constant("answer" as const), request: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    what: fc.constantFrom("answered", "cancel-timer", "permission-timer"),
    turn: fc.integer({ min: 1, max: 6 }),
  }),
);

function happen(script: SessionScript, event: { what: string; [member: string]: unknown }): void {
  const turn = event["turn"] as number;
  switch (event.what) {
    case "prompt":
      script.prompt("p", event["queue"] === true ? "queue" : "refuse");
      return;
    case "cancel":
      script.cancel(turn);
      return;
    case "up":
      script.up();
      return;
    case "text":
      script.text("t");
      return;
    case "close":
      script.command("agent.session.close", {});
      return;
    case "exit":
      script.exits(1);
      return;
    case "stop":
    case "stopped":
      script.put({ type: event.what });
      return;
    case "fail":
      script.put({ type: "open_failed", failure: { code: "AGENT_PROTOCOL", message: "x" } });
      return;
    case "tool":
      script.tool(event["id"] as string, event["status"] as string | undefined);
      return;
    case "ask":
      script.asks(event["key"] as number, event["id"] as string);
      return;
    case "withdrawn":
      script.says({ type: "withdrawn", request: 1 });
      return;
    case "answer":
      script.command("agent.permission.answer", {
        request: `aaaaaaaaaaaa-${event["request"] as number}`,
        option: "allow_once-0",
      });
      return;
    case "answered":
      script.answered(turn);
      return;
    case "idle":
      script.put({ type: "timer", timer: "idle", key: "" });
      return;
    case "drain":
      script.put({ type: "timer", timer: "drain", key: "1" });
      return;
    case "cancel-timer":
      script.put({ type: "timer", timer: "cancel", key: String(turn) });
      return;
    case "permission-timer":
      script.put({ type: "timer", timer: "permission", key: `aaaaaaaaaaaa-${turn}` });
      return;
    default:
      throw new Error(event.what);
  }
}

describe("whatever happens", () => {
  test("each turn ends at most once, exactly once when the session has ended, and nothing stays open behind it", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (events) => {
        const script = new SessionScript({ prompt: "first" });
        for (const event of events) happen(script, event);
        const ended = script.entries.filter(
          (entry): entry is TurnEntry => entry.kind === "turn" && entry.phase === "ended",
        );
        expect(new Set(ended.map(({ turn }) => turn)).size).toBe(ended.length);
        expect(script.state.seq).toBe(script.entries.length);
        const accepted = script.entries.filter((entry) => entry.kind === "turn" && entry.phase !== "ended");
        if (script.state.life.phase === "ended") {
          expect(ended).toHaveLength(script.state.turns);
          expect(script.state.queue).toEqual([]);
          expect(script.state.pending).toEqual([]);
        }
        expect(accepted.length).toBeGreaterThanOrEqual(script.state.turns);
        const resolved = script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "resolved");
        const requested = script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "requested");
        expect(requested.length - resolved.length).toBe(script.state.requests.length);
        if (script.state.life.phase === "ended") expect(script.state.requests).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("the last state in the log is the state that people see, and idle never stands between a turn and a queued one", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (events) => {
        const script = new SessionScript();
        for (const event of events) {
          const before = script.entries.length;
          happen(script, event);
          const added = script.entries.slice(before);
          const started = added.some((entry) => entry.kind === "turn" && entry.phase === "started");
          if (started) expect(added.some((entry) => entry.kind === "state" && entry.state === "idle")).toBe(false);
        }
        const last = script.entries.findLast((entry): entry is StateEntry => entry.kind === "state");
        expect(last?.state).toBe(phaseOf(script.state));
      }),
      { numRuns: 500 },
    );
  });

  test("only a command of somebody selects an option that allows", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (events) => {
        const script = new SessionScript({ prompt: "first" });
        for (const event of events) {
          const before = script.effects.length;
          happen(script, event);
          for (const effect of script.effects.slice(before)) {
            if (effect.type !== "answer_permission" || effect.outcome === "cancelled") continue;
            if (effect.outcome.optionId.startsWith("allow")) expect(event.what).toBe("answer");
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
