// SPDX-License-Identifier: MIT OR Apache-2.0
// Cancelling a turn: at the worst moments, of agents that take no notice, and without harm to what comes after.
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { livingIn } from "./living.ts";
import { type EntryOf, agentText, ofKind, openScene, stateOf, turnEnd } from "./scene.ts";

test("a cancel sent together with its prompt ends the turn as cancelled, every time (case 77)", async () => {
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: [{ text: "hm" }] }] } });
  const { user } = scene;
  const session = await scene.idle();
  for (let turn = 1; turn <= 20; turn += 1) {
    const prompted = user.prompt(session, `go ${turn}`);
    // Every other time the agent is already speaking.
    if (turn % 2 === 0)
      await user.entry(session, (entry) => entry.kind === "message" && entry.turn === turn && entry.role === "agent");
    await Promise.all([prompted, user.call("agent.session.cancel", { session })]);
    expect(await turnEnd(user, session, turn)).toMatchObject({ stop_reason: "cancelled", sent: true });
    await user.wait(session, "idle");
  }
  expect(ofKind(await user.log(session), "turn").filter(({ phase }) => phase === "ended")).toHaveLength(20);
});

test("a prompt that is cancelled before its agent has come up never reaches it (case 77)", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [{ on: "initialize", do: [{ waitForFile: `${directory}/go` }, "default"] }],
    }),
  });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory(), prompt: "never mind" });
  expect(await user.call("agent.session.cancel", { session })).toMatchObject({ turns: [1] });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled", sent: false });
  writeFileSync(`${scene.agent().directory}/go`, "");
  await user.wait(session, "idle");
  await user.prompt(session, "but this");
  await turnEnd(user, session, 2);
  const prompts = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt");
  expect(JSON.stringify(prompts)).not.toContain("never mind");
  expect(prompts).toHaveLength(1);
});

test("a turn whose cancel is not answered ends by force, and the late answer does not end the next (case 79)", async () => {
  await using scene = await openScene(
    {
      scripted: (directory) => ({
        rules: [
          {
            on: "session/prompt",
            nth: 1,
            do: [{ text: "deaf" }, { waitForFile: `${directory}/answer` }, { reply: { stopReason: "cancelled" } }],
          },
          { on: "session/prompt", nth: 2, do: [{ text: "second" }, { waitForFile: `${directory}/end` }, "default"] },
          { on: "session/cancel", do: [] },
        ],
      }),
    },
    { limits: { cancelForceMs: 100, drainTimeoutMs: 30_000 } },
  );
  const { user } = scene;
  const { directory } = scene.agent();
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.call("agent.session.cancel", { session });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled", forced: true });
  expect(await user.get(session)).toMatchObject({ state: "running", running: { turn: 1, state: "draining" } });
  // Queued whatever was asked for: the agent still owes an answer.
  expect(await user.call("agent.session.prompt", { session, prompt: "and" })).toMatchObject({ turn: 2, queued: true });
  writeFileSync(`${directory}/answer`, "");
  await user.entry(session, (entry) => entry.kind === "message" && entry.turn === 2 && entry.role === "agent");
  expect(await user.get(session)).toMatchObject({ state: "running", running: { turn: 2, state: "running" } });
  writeFileSync(`${directory}/end`, "");
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn" });
  expect(ofKind(await user.log(session), "turn").filter(({ phase }) => phase === "ended")).toHaveLength(2);
});

test("a cancel of an idle session, twice over, does nothing to the next prompt (case 80)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user } = scene;
  const session = await scene.idle();
  for (const _ of [1, 2]) expect(await user.call("agent.session.cancel", { session })).toMatchObject({ turns: [] });
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  expect(
    scene
      .agent()
      .received()
      .map(({ method }) => method),
  ).not.toContain("session/cancel");
});

test("whatever an agent asks after a cancel is answered cancelled at once, and shown (case 82)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        { on: "session/prompt", do: [{ text: "busy" }] },
        {
          on: "session/cancel",
          do: [
            { permission: { toolCall: { toolCallId: "a" } } },
            { permission: { toolCall: { toolCallId: "b" } } },
            { permission: { toolCall: { toolCallId: "c" } } },
            { reply: { stopReason: "cancelled" }, to: "$promptId" },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.call("agent.session.cancel", { session });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled" });
  const asked = ofKind(await user.log(session), "permission");
  expect(asked.filter(({ phase }) => phase === "resolved")).toMatchObject(
    [1, 2, 3].map(() => ({ outcome: "cancelled", via: "cancel", by: null })),
  );
  const answers = scene
    .agent()
    .received()
    .filter(({ result }) => result !== undefined);
  expect(answers.map(({ result }) => result)).toEqual([1, 2, 3].map(() => ({ outcome: { outcome: "cancelled" } })));
});

test("a cancelled turn leaves the session as it was: same agent, same talk (case 83)", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", nth: 1, do: [{ text: "long story" }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  await user.call("agent.session.cancel", { session });
  await turnEnd(user, session);
  await user.prompt(session, "go on");
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn" });
  expect(agentText(await user.log(session), 1)).toBe("long story");
  const methods = scene
    .agent()
    .received()
    .map(({ method }) => method);
  expect(methods).toEqual(["initialize", "session/new", "session/prompt", "session/cancel", "session/prompt"]);
});

test("an agent that has gone mute keeps its turn until somebody cancels, and is ended then (case 49)", async () => {
  await using scene = await openScene(
    {
      scripted: {
        rules: [
          { on: "session/prompt", do: [{ text: "thinking" }] },
          { on: "session/cancel", do: [] },
        ],
      },
    },
    { limits: { cancelForceMs: 100, drainTimeoutMs: 100 } },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const behind = await user.prompt(session, "behind it", "queue");
  await user.call("agent.session.cancel", { session, turn: 1 });
  const lost = await stateOf(user, session, "lost");
  expect(lost.reason).toContain("did not end its cancelled turn");
  expect(lost.error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
  const ends = ofKind(await user.log(session), "turn").filter(({ phase }) => phase === "ended");
  expect(ends).toMatchObject([
    { turn: 1, stop_reason: "cancelled", forced: true } satisfies Partial<EntryOf<"turn">>,
    { turn: behind, stop_reason: "interrupted", sent: false },
  ]);
});

test("an agent that ignores a cancel and can resume is started anew, and runs what was queued (case 49)", async () => {
  await using scene = await openScene(
    {
      scripted: {
        initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
        rules: [
          { on: "session/prompt", match: '"text":"go"', do: [{ text: "thinking" }] },
          { on: "session/resume", do: [{ reply: {} }] },
          { on: "session/cancel", do: [] },
        ],
      },
    },
    { limits: { cancelForceMs: 100, drainTimeoutMs: 100 } },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const behind = await user.prompt(session, "behind it", "queue");
  await user.call("agent.session.cancel", { session, turn: 1 });
  expect(await turnEnd(user, session, behind)).toMatchObject({ stop_reason: "end_turn", sent: true });
  await user.wait(session, "idle");
  const states = ofKind(await user.log(session), "state").map(({ state, reason }) => [state, reason]);
  expect(states).toContainEqual(["starting", "the agent did not end its cancelled turn"]);
  expect(states.map(([state]) => state)).not.toContain("lost");
  const methods = scene
    .agent()
    .received()
    .map(({ method }) => method);
  expect(methods.filter((method) => method === "session/resume")).toHaveLength(1);
});

test("a session that is closed while its agent is on its way out, to be brought back, is closed, and no agent follows (cases 49, 56)", async () => {
  await using scene = await openScene(
    {
      scripted: {
        initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
        rules: [
          { on: "session/prompt", do: [{ text: "thinking" }] },
          { on: "session/cancel", do: [] },
        ],
        ignore: ["eof", "SIGTERM"],
      },
    },
    { limits: { cancelForceMs: 100, drainTimeoutMs: 100, stdinGraceMs: 500, termGraceMs: 500 } },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.call("agent.session.cancel", { session });
  await user.entry(
    session,
    (entry) => entry.kind === "state" && entry.state === "starting" && entry.reason !== undefined,
  );
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  expect(livingIn(scene.place)).toEqual([]);
  const starts = scene
    .agent()
    .received()
    .filter(({ method }) => method === "initialize");
  expect(starts).toHaveLength(1);
});
