// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { StateEntry, TurnEntry } from "../../vocabulary/index.ts";
import { phaseOf } from "./state.ts";
import { SessionScript } from "./testing/session-script.ts";

test("each turn ends at most once, and exactly once when the session has ended with nothing left open", () => {
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
      if (script.state.run.phase === "ended") {
        expect(ended).toHaveLength(script.state.turns);
        expect(script.state.queue).toEqual([]);
        expect(script.state.pending).toEqual([]);
      }
      expect(accepted.length).toBeGreaterThanOrEqual(script.state.turns);
      const resolved = script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "resolved");
      const requested = script.entries.filter((entry) => entry.kind === "permission" && entry.phase === "requested");
      expect(requested.length - resolved.length).toBe(script.state.requests.length);
      if (script.state.run.phase === "ended") expect(script.state.requests).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("the last state in the log is the one people see, and no idle comes between a turn and a queued one", () => {
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

test("only a command selects an option that allows", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (events) => {
      const script = new SessionScript({ prompt: "first" });
      for (const event of events) {
        const before = script.effects.length;
        happen(script, event);
        for (const effect of script.effects.slice(before)) {
          if (effect.type !== "answer_request" || effect.answer.outcome !== "selected") continue;
          if (effect.answer.option.startsWith("allow")) expect(event.what).toBe("answer");
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** Any event of a session, in any order. */
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
      script.put({ type: "timer", timer: "request", key: `aaaaaaaaaaaa-${turn}` });
      return;
    default:
      throw new Error(event.what);
  }
}
