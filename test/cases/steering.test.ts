// SPDX-License-Identifier: MIT OR Apache-2.0
// Prompts for a turn that runs, by the extension `_session/steering`.
import { expect, test } from "vitest";
import type { Json, Rule, Scenario } from "../scripted-agent/scenario.ts";
import { ofKind, openScene, turnEnd } from "./scene.ts";

const offers: Json = { steering: { supported: true } };
const first: Rule = { on: "session/prompt", nth: 1, do: [{ text: "at work" }] };

function steerable(outcome: string): Scenario {
  return {
    initialize: { _meta: offers },
    rules: [
      first,
      {
        on: "_session/steering",
        do: [{ reply: { outcome } }, { reply: { stopReason: "end_turn" }, to: "$promptId" }],
      },
    ],
  };
}

test("a prompt that the agent takes into its turn is sent once, and a retry gets the first reply", async () => {
  await using scene = await openScene({ scripted: steerable("injected") });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const args = { session, prompt: "not there", when_busy: "steer", command_id: "once" } as const;
  const reply = await user.call("agent.session.prompt", args);
  expect(reply).toMatchObject({ turn: 2, queued: true, steering: true });
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "steered", steering: "injected", into: 1 });
  expect(await turnEnd(user, session, 1)).toMatchObject({ stop_reason: "end_turn" });
  await user.wait(session, "idle");
  expect(await user.call("agent.session.prompt", args)).toEqual(reply);
  const frames = scene.agent().received();
  expect(frames.filter(({ method }) => method === "_session/steering")).toMatchObject([
    {
      params: {
        sessionId: "session-1",
        prompt: [{ type: "text", text: "not there" }],
        _meta: { steering: { idleBehavior: "promptRequired" } },
      },
    },
  ]);
  expect(frames.filter(({ method }) => method === "session/prompt")).toHaveLength(1);
  const log = await user.log(session);
  const prompts = ofKind(log, "message").filter(({ role, turn }) => role === "user" && turn === 2);
  expect(prompts).toMatchObject([{ content: { text: "not there" } }]);
});

test("a prompt that needs a turn of its own gets it when the running one has ended", async () => {
  await using scene = await openScene({ scripted: steerable("promptRequired") });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await user.prompt(session, "then this", "steer")).toBe(2);
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn", sent: true });
  const turns = ofKind(await user.log(session), "turn").filter(({ turn }) => turn === 2);
  expect(turns).toMatchObject([
    { phase: "queued", steering: "asked" },
    { phase: "queued", steering: "promptRequired" },
    { phase: "started" },
    { phase: "ended" },
  ]);
});

test("an agent that does not offer steering gets the prompt after its turn", async () => {
  await using scene = await openScene({ scripted: { rules: [first] } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const args = { session, prompt: "then this", when_busy: "steer" } as const;
  expect(await user.call("agent.session.prompt", args)).toMatchObject({ turn: 2, queued: true, steering: false });
  await user.call("agent.session.cancel", { session, turn: 1 });
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn" });
  expect(
    scene
      .agent()
      .received()
      .map(({ method }) => method),
  ).not.toContain("_session/steering");
});

test.for<[string, Rule["do"], object[]]>([
  [
    "answers twice, and differently",
    [{ reply: { outcome: "injected" } }, { reply: { outcome: "promptRequired" } }],
    [{ phase: "ended", stop_reason: "steered", sent: true, into: 1 }],
  ],
  [
    "does not answer",
    [],
    [{ phase: "ended", stop_reason: "failed", sent: "unknown", error: { error_code: "AGENT_PROTOCOL" } }],
  ],
  ["dies of it", [{ exit: 3 }], [{ phase: "ended", stop_reason: "interrupted", sent: "unknown" }]],
])("an agent that %s runs the prompt at most once, and the log says so", async ([, answers, entries]) => {
  const rules: Rule[] = [first, { on: "_session/steering", do: answers }];
  const scripted: Scenario = { initialize: { _meta: offers }, rules };
  await using scene = await openScene({ scripted }, { limits: { requestTimeoutMs: 1_000 } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.prompt(session, "not there", "steer");
  await turnEnd(user, session, 2);
  const turns = ofKind(await user.log(session), "turn").filter(({ turn }) => turn === 2);
  expect(turns).toMatchObject([{ phase: "queued", steering: "asked" }, ...entries]);
  const received = scene.agent().received();
  expect(received.filter(({ method }) => method === "_session/steering")).toHaveLength(1);
  expect(received.filter(({ method }) => method === "session/prompt")).toHaveLength(1);
});

test("two steered prompts with one command id at once are one, also while a person is asked", async () => {
  const asks: Rule = { on: "session/prompt", do: [{ permission: { toolCall: { toolCallId: "1", title: "Write" } } }] };
  const rules: Rule[] = [asks, { on: "_session/steering", do: [{ reply: { outcome: "injected" } }] }];
  await using scene = await openScene({ scripted: { initialize: { _meta: offers }, rules } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const args = { session, prompt: "x".repeat(3_000_000), when_busy: "steer", command_id: "once" } as const;
  const [one, other] = await Promise.all([1, 2].map(() => user.call("agent.session.prompt", args)));
  expect(one).toMatchObject({ turn: 2, steering: true });
  expect(other).toEqual(one);
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "steered", into: 1 });
  expect(await user.call("agent.session.get", { session })).toMatchObject({ turns: 2 });
  const steered = scene
    .agent()
    .received()
    .filter(({ method }) => method === "_session/steering");
  expect(steered).toHaveLength(1);
});
