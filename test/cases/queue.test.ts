// SPDX-License-Identifier: MIT OR Apache-2.0
// Prompts that wait behind a turn, and ids that make a retry safe.
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ofKind, openScene, stateOf, turnEnd } from "./scene.ts";

test("a hundred prompts of twenty people run once each, in the order of the log (case 85)", async () => {
  await using scene = await openScene({ scripted: {} }, { limits: { queuedPromptsMax: 100 } });
  const { user } = scene;
  const session = await scene.idle();
  const people = await Promise.all(Array.from({ length: 20 }, () => scene.somebody()));
  await Promise.all(
    people.flatMap((person, who) => [1, 2, 3, 4, 5].map((nth) => person.prompt(session, `${who}/${nth}`, "queue"))),
  );
  await turnEnd(user, session, 100);
  const log = await user.log(session);
  const told = ofKind(log, "message").filter(({ role }) => role === "user");
  const sent = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt")
    .map((frame) => (frame["params"] as { prompt: { text: string }[] }).prompt[0]?.text);
  expect(sent).toEqual(told.map(({ content }) => content["text"]));
  expect(new Set(sent).size).toBe(100);
  const starts = ofKind(log, "turn").filter(({ phase }) => phase === "started");
  expect(starts.map(({ turn }) => turn)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(
    ofKind(log, "turn").filter(({ phase, stop_reason }) => phase === "ended" && stop_reason === "end_turn"),
  ).toHaveLength(100);
});

test("a full queue refuses one more and says how many wait (case 85)", async () => {
  await using scene = await openScene(
    { scripted: { rules: [{ on: "session/prompt", do: [{ text: "hm" }] }] } },
    { limits: { queuedPromptsMax: 2 } },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "runs");
  expect(await user.refusal("agent.session.prompt", { session, prompt: "not now" })).toMatchObject({
    code: "AGENT_BUSY",
    body: { turn: 1, queued: 0 },
  });
  for (const text of ["one", "two"]) await user.prompt(session, text, "queue");
  expect(await user.refusal("agent.session.prompt", { session, prompt: "three", when_busy: "queue" })).toMatchObject({
    code: "AGENT_BUSY",
    body: { queued: 2 },
  });
});

test("queued prompts are seen while they wait, and end as not sent when the session is closed (case 86)", async () => {
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: [{ text: "hm" }] }] } });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "runs");
  for (const text of ["one", "two", "three"]) await user.prompt(session, text, "queue");
  expect(await user.get(session)).toMatchObject({
    running: { turn: 1 },
    queued: [{ turn: 2 }, { turn: 3 }, { turn: 4 }],
  });
  await user.call("agent.session.cancel", { session, turn: 3 });
  expect(await user.get(session)).toMatchObject({ queued: [{ turn: 2 }, { turn: 4 }] });
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");
  const ends = ofKind(await user.log(session), "turn").filter(({ phase }) => phase === "ended");
  expect(ends).toMatchObject([
    { turn: 3, stop_reason: "cancelled", sent: false },
    { turn: 1, stop_reason: "cancelled", sent: true },
    { turn: 2, stop_reason: "cancelled", sent: false },
    { turn: 4, stop_reason: "cancelled", sent: false },
  ]);
  expect(
    scene
      .agent()
      .received()
      .filter(({ method }) => method === "session/prompt"),
  ).toHaveLength(1);
});

test("a command id that comes again with another text is refused, and the first stands (case 88)", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [{ on: "session/prompt", do: [{ waitForFile: `${directory}/go` }, "default"] }],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  const args = { session, prompt: "delete a", command_id: "once" };
  const first = await user.call("agent.session.prompt", args);
  const conflict = await user.refusal("agent.session.prompt", { ...args, prompt: "delete b" });
  expect(conflict.code).toBe("COMMAND_CONFLICT");
  expect(await user.call("agent.session.prompt", args)).toEqual(first);
  writeFileSync(`${scene.agent().directory}/go`, "");
  await turnEnd(user, session);
  const prompts = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt");
  expect(prompts).toHaveLength(1);
  expect(JSON.stringify(prompts)).toContain("delete a");
});

test("a refused command leaves its id free for the next try (case 88)", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", nth: 1, do: [{ text: "hm" }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "runs");
  const args = { session, prompt: "later", command_id: "again" };
  expect((await user.refusal("agent.session.prompt", args)).code).toBe("AGENT_BUSY");
  await user.call("agent.session.cancel", { session });
  await user.wait(session, "idle");
  expect(await user.call("agent.session.prompt", args)).toMatchObject({ turn: 2, command_id: "again" });
});
