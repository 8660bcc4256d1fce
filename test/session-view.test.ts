// SPDX-License-Identifier: MIT OR Apache-2.0
// What a client folds from the entries is what the session itself knows, after any history.
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEntry, newView } from "../agent-client/view/session-view.ts";
import { logged } from "../agent-client/testing/entry-samples.ts";
import { SessionScript } from "../agentd/session/core/testing/session-script.ts";
import { phaseOf } from "../agentd/session/core/state.ts";

type Act = (script: SessionScript) => unknown;

const acts: readonly Act[] = [
  (script) => script.prompt("go on", "queue"),
  (script) => script.text("words"),
  (script) => script.text("thoughts", "thought"),
  (script) => script.tool("t1"),
  (script) => script.tool("t1", "completed"),
  (script) => script.asks(script.entries.length),
  (script) => script.says({ type: "update", update: { kind: "info", title: `title ${script.entries.length}` } }),
  (script) => {
    const { run } = script.state;
    return run.phase === "turn" ? script.answered(run.turn.turn) : undefined;
  },
  (script) => {
    const [pending] = script.state.requests;
    if (pending !== undefined)
      script.command("agent.permission.answer", { request: pending.request, option: "allow_once-0" });
  },
  (script) => script.cancel(),
  (script) => script.exits(),
];

test("state, turns, queue and questions are those of the session", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...acts), { maxLength: 40 }), (history) => {
      const script = new SessionScript();
      script.up([["mode", "ask", "plan"]]);
      for (const act of history) act(script);
      const view = logged(script.entries).reduce(applyEntry, newView("aaaaaaaaaaaa"));
      const { state } = script;
      expect(view.state).toBe(phaseOf(state));
      expect(view.options).toEqual(state.options);
      expect(view.questions.all().map(({ request }) => request)).toEqual(state.requests.map(({ request }) => request));
      expect(view.turns.filter(({ phase }) => phase === "queued").map(({ turn }) => turn)).toEqual(
        state.queue.map(({ turn }) => turn),
      );
      const running = view.turns.filter(({ phase }) => phase === "started").map(({ turn }) => turn);
      expect(running).toEqual(state.run.phase === "turn" ? [state.run.turn.turn] : []);
    }),
  );
});
