// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentSigns } from "./agent-signs.ts";
import type { Effect } from "./input.ts";
import { SessionScript } from "./testing/session-script.ts";

const silence = (turn = 1) => ({ type: "timer", timer: "silence", key: String(turn) }) as const;

function running(): SessionScript {
  const script = new SessionScript();
  script.up();
  script.prompt("go");
  return script;
}

function armed(script: SessionScript): Effect | undefined {
  return script.effects.findLast((effect) => effect.type === "arm" && effect.timer === "silence");
}

test("a model that is silent for the limit is told once, with the time since when, and the turn goes on", () => {
  const script = running();
  const since = new Date(script.now).toISOString();
  script.now += 20_000;
  expect(script.put(silence())).toEqual([
    { kind: "diagnostic", turn: 1, what: "model-silent", message: "no answer from the model for 20 s", since },
  ]);
  script.now += 60_000;
  expect(script.put(silence())).toEqual([]);
  expect(script.state.run).toMatchObject({ phase: "turn", turn: { turn: 1 } });
});

test("a silence that a text ended is another one the next time", () => {
  const script = running();
  script.now += 20_000;
  script.put(silence());
  script.now += 5_000;
  script.text("hm");
  expect(armed(script)).toMatchObject({ key: "1", afterMs: 20_000 });
  script.now += 20_000;
  expect(script.put(silence())).toMatchObject([{ what: "model-silent", message: "no answer from the model for 20 s" }]);
});

test("what the model said meanwhile postpones the report by what is left", () => {
  const script = running();
  script.now += 15_000;
  script.text("hm", "thought");
  script.now += 5_000;
  expect(script.put(silence())).toEqual([]);
  expect(armed(script)).toMatchObject({ afterMs: 15_000 });
});

test("updates that do not come from the model do not end its silence", () => {
  const script = running();
  script.now += 15_000;
  script.says({ type: "update", update: { kind: "info", title: "a title" } });
  script.says({ type: "update", update: { kind: "usage", used: 1, size: 2 } });
  script.text("go", "user");
  script.now += 5_000;
  expect(script.put(silence())).toMatchObject([{ what: "model-silent" }]);
});

test("while a tool runs, the model is not expected to speak", () => {
  const script = running();
  script.tool("t", "in_progress");
  script.now += 600_000;
  expect(script.put(silence())).toEqual([]);
  expect(armed(script)).toMatchObject({ afterMs: 20_000 });
  script.tool("t", "completed");
  script.now += 19_999;
  expect(script.put(silence())).toEqual([]);
  script.now += 1;
  expect(script.put(silence())).toMatchObject([{ message: "no answer from the model for 20 s" }]);
});

test("while a question is open, and just after its answer, nothing is reported", () => {
  const script = running();
  script.asks(1);
  script.tool("tool", "completed");
  script.now += 300_000;
  expect(script.put(silence())).toEqual([]);
  script.command("agent.permission.answer", { request: `${script.state.id}-1`, option: "allow_once-0" });
  script.now += 10_000;
  expect(script.put(silence())).toEqual([]);
  expect(armed(script)).toMatchObject({ afterMs: 10_000 });
});

test("a turn that is being cancelled, another turn and an idle session report no silence", () => {
  const script = running();
  script.now += 60_000;
  expect(script.put(silence(2))).toEqual([]);
  script.cancel();
  expect(script.put(silence())).toEqual([]);
  script.answered(1);
  expect(script.effects).toContainEqual({ type: "disarm", timer: "silence", key: "1" });
  expect(script.put(silence())).toEqual([]);
});

test("a tool call that may hang does not excuse a silence, and the report says why; another tool call does", () => {
  const script = running();
  const call = (toolCallId: string, signs?: AgentSigns) =>
    script.put({
      type: "agent",
      event: {
        type: "update",
        update: { kind: "tool_call", call: { toolCallId, title: toolCallId, status: "pending" } },
      },
      ...(signs === undefined ? {} : { signs }),
    });
  call("task", { mayHang: { toolCallId: "task", why: "nobody is asked" } });
  script.now += 20_000;
  expect(script.put(silence())).toMatchObject([
    { what: "model-silent", message: "no answer from the model for 20 s: nobody is asked" },
  ]);
  script.says({ type: "update", update: { kind: "tool_call", call: { toolCallId: "task", status: "completed" } } });
  call("other");
  script.now += 20_000;
  expect(script.put(silence())).toEqual([]);
});
