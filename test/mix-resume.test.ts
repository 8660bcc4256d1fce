// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent send` to a session that has ended, with a real daemon.
import { expect, test } from "vitest";
import { Bench } from "../mix/testing/command-line-under-test.ts";
import type { Step } from "./scripted-agent/scenario.ts";
import { openScene, type Scene, type Script } from "./cases/scene.ts";

const canResume = (answer: Step): Script => ({
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  rules: [{ on: "session/resume", do: [answer] }],
});

async function closedIn(scene: Scene): Promise<string> {
  const session = await scene.idle();
  await scene.user.call("agent.session.close", { session });
  await scene.user.wait(session, "ended");
  return session;
}

async function commandLine(scene: Scene) {
  const bench = await Bench.create();
  const env = { MIXOS_NODED_URL: scene.daemon.daemon.busUrl() };
  return {
    mix: async (...words: string[]) => await bench.run(["agent", ...words], { env }),
    [Symbol.asyncDispose]: async () => await bench.close(),
  };
}

const ran = (scene: Scene, method: string): number =>
  scene
    .agent()
    .received()
    .filter((frame) => frame["method"] === method).length;

test("send resumes an ended session, says so, and prompts; a retry with its id runs neither again", async () => {
  await using scene = await openScene({ scripted: canResume({ reply: {} }) });
  await using line = await commandLine(scene);
  const session = await closedIn(scene);
  const first = await line.mix("send", session, "one", "--id", "s");
  expect(first).toMatchObject({ code: 0, stderr: `session ${session} is closed: resuming it (scripted)\n` });
  expect(first.stdout).toContain("turn 1 done");
  await scene.user.call("agent.session.close", { session });
  await scene.user.wait(session, "ended");
  const again = await line.mix("send", session, "one", "--id", "s");
  // The first reply: then the prompt waited for the agent.
  expect(again).toMatchObject({ code: 0, stderr: `turn 1 of ${session} is queued\n` });
  expect(again.stdout).toContain("turn 1 done");
  expect([ran(scene, "session/resume"), ran(scene, "session/prompt")]).toEqual([1, 1]);
  const json = await line.mix("send", session, "two", "--no-wait", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: "mix.sent.v1", session, turn: 2 });
  expect(json.stderr).toContain("resuming it");
  await scene.user.wait(session, "idle");
});

test("send to a session that its agent cannot resume runs nothing, and names the command", async () => {
  await using scene = await openScene({ scripted: {} });
  await using line = await commandLine(scene);
  const session = await closedIn(scene);
  const { code, stderr } = await line.mix("send", session, "one");
  expect(code).toBe(1);
  expect(stderr).toContain(`SESSION_STATE: session ${session} is closed, and scripted cannot resume sessions`);
  expect(stderr.split(`mix agent resume --fresh ${session}`)).toHaveLength(2);
  expect(await scene.user.get(session)).toMatchObject({ state: "closed", turns: 0 });
  expect(await line.mix("resume", session, "--fresh")).toMatchObject({ code: 0 });
  expect(await line.mix("send", session, "one")).toMatchObject({ code: 0, stderr: "" });
});

test("a resume that is refused leaves the prompt unsent and the session closed, and the remedy is said once", async () => {
  await using scene = await openScene({ scripted: canResume({ error: { code: -32603, message: "not today" } }) });
  await using line = await commandLine(scene);
  const session = await closedIn(scene);
  const { code, stderr } = await line.mix("send", session, "one");
  expect(code).toBe(1);
  expect(stderr).toContain("SESSION_NOT_RESUMABLE");
  expect(stderr).toContain("not today");
  expect(stderr.split("--fresh")).toHaveLength(2);
  await scene.user.wait(session, "ended");
  expect(await scene.user.get(session)).toMatchObject({
    state: "closed",
    error: { error_code: "SESSION_NOT_RESUMABLE" },
  });
  const [turn] = (await scene.user.log(session, ["turn"])).slice(-1);
  expect(turn).toMatchObject({ phase: "ended", stop_reason: "interrupted", sent: false });
  expect((await line.mix("resume", session)).stderr.split("--fresh")).toHaveLength(2);
  expect((await line.mix("ls", "--all")).stdout).toContain("closed");
});

test("send does not resume a session whose agent never came up: what it was started with would be lost", async () => {
  await using scene = await openScene({ scripted: {} });
  await using line = await commandLine(scene);
  const session = await scene.user.start({ agent: "scripted", cwd: scene.place.directory(), config: { mode: "plan" } });
  await scene.user.wait(session, "ended");
  const { code, stderr } = await line.mix("send", session, "one");
  expect(code).toBe(1);
  expect(stderr).toContain(`mix agent resume ${session}`);
  expect((await scene.user.get(session)).state).toBe("failed");
});
