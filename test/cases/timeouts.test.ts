// SPDX-License-Identifier: MIT OR Apache-2.0
// Every wait for an agent has an end, no turn has a flat limit, and a clock that jumps fools nobody.
// @module-tag slow
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { Rule, Scenario } from "../scripted-agent/scenario.ts";
import { DaemonError } from "../../agentd/daemon-error.ts";
import type { Limits } from "../../agentd/config/limits.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { leftIn } from "./living.ts";
import { makeCast, ofKind, openScene, question, type Scene, stateOf, turnEnd } from "./scene.ts";

test.each(["0", '"0s"', '"25d"', '"30d"', "1e12", "-1", "nan", "inf", '"-5m"', '"10"', '"ten minutes"', "true"])(
  "a time limit of %s keeps agentd from starting, with the file and the name in its words (case 151)",
  async (value) => {
    using cast = makeCast({}, { settings: `permission_timeout = ${value}\n` });
    const refused = await startDaemonHere(cast.place).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DaemonError);
    expect(refused).toMatchObject({ code: "CONFIG_REFUSED", exitCode: 2 });
    expect((refused as DaemonError).message).toMatch(/agentd\.toml: permission_timeout/);
  },
);

test("a turn that goes on for hours is not ended, nor is its session for being idle (case 152)", async () => {
  const clock = new ManualClock();
  await using scene = await openScene(
    {
      scripted: (directory) => ({
        rules: [
          {
            on: "session/prompt",
            do: [
              { text: "at work" },
              { waitForFile: `${directory}/go` },
              { text: ", done" },
              { reply: { stopReason: "end_turn" } },
            ],
          },
        ],
      }),
    },
    { clock, settings: 'idle_timeout = "30m"' },
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  for (let minute = 0; minute < 360; minute += 1) clock.advance(60_000);
  expect(await user.get(session)).toMatchObject({ state: "running", running: { turn: 1, state: "running" } });
  await user.call("agent.session.cancel", { session });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled" });
});

interface Mute {
  readonly scenario: Scenario;
  readonly limits: Partial<Limits>;
  /** Brings the session to the step at which the agent goes mute, and sees it end. */
  readonly see: (scene: Scene, session: string, user: BusUser) => Promise<void>;
}

const onlyMute = (on: string): Rule => ({ on, do: [] });
const option = {
  id: "mode",
  name: "Mode",
  type: "select",
  currentValue: "a",
  options: [
    { value: "a", name: "a" },
    { value: "b", name: "b" },
  ],
};
const linger: Rule = { on: "session/prompt", do: [{ text: "hm" }] };

const mutes: readonly [string, Mute][] = [
  [
    "initialize",
    {
      scenario: { rules: [onlyMute("initialize")] },
      limits: { initializeTimeoutMs: 300 },
      see: async (_, session, user) => {
        const { error } = await stateOf(user, session, "failed");
        expect(error?.message).toContain("did not answer initialize within 300 ms");
      },
    },
  ],
  [
    "session/new",
    {
      scenario: { rules: [onlyMute("session/new")] },
      limits: { openTimeoutMs: 300 },
      see: async (_, session, user) => {
        const { error } = await stateOf(user, session, "failed");
        expect(error?.message).toContain("did not answer session/new within 300 ms");
      },
    },
  ],
  [
    "a prompt and its cancel",
    {
      scenario: { rules: [linger, onlyMute("session/cancel")] },
      limits: { cancelForceMs: 100, drainTimeoutMs: 100 },
      see: async (_, session, user) => {
        await user.wait(session, "idle");
        await user.prompt(session, "go");
        await user.call("agent.session.cancel", { session });
        expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled", forced: true });
        await stateOf(user, session, "lost");
      },
    },
  ],
  [
    "session/set_config_option",
    {
      scenario: { session: { configOptions: [option] }, rules: [onlyMute("session/set_config_option")] },
      limits: { requestTimeoutMs: 300 },
      see: async (_, session, user) => {
        await user.wait(session, "idle");
        const args = { session, option: "mode", value: "b", command_id: "set" };
        const refused = await user.refusal("agent.session.set_config", args);
        expect(refused.code).toBe("AGENT_PROTOCOL");
        expect(refused.body["message"]).toContain("did not answer session/set_config_option within 300 ms");
        // Answered for good: nothing is asked of the agent again.
        expect((await user.refusal("agent.session.set_config", args)).body).toEqual(refused.body);
        expect(await user.get(session)).toMatchObject({ state: "idle", options: [{ option: "mode", value: "a" }] });
        await user.call("agent.session.close", { session });
      },
    },
  ],
  [
    "an option of its start",
    {
      scenario: { session: { configOptions: [option] }, rules: [onlyMute("session/set_config_option")] },
      limits: { requestTimeoutMs: 300 },
      see: async (scene, session, user) => {
        await user.call("agent.session.close", { session });
        const args = { agent: "mute", cwd: scene.place.directory(), config: { mode: "b" }, prompt: "go" };
        const second = await user.start(args);
        expect(await stateOf(user, second, "failed")).toMatchObject({ reason: 'the option "mode" was refused' });
        expect(await turnEnd(user, second)).toMatchObject({ stop_reason: "interrupted", sent: false });
      },
    },
  ],
  [
    "session/close",
    {
      scenario: { rules: [onlyMute("session/close")] },
      limits: { closeRequestTimeoutMs: 200 },
      see: async (_, session, user) => {
        await user.wait(session, "idle");
        await user.call("agent.session.close", { session });
        await stateOf(user, session, "closed");
      },
    },
  ],
  [
    "the end of its stdin",
    {
      scenario: { ignore: ["eof"] },
      limits: { stdinGraceMs: 200 },
      see: async (_, session, user) => {
        await user.wait(session, "idle");
        await user.call("agent.session.close", { session });
        await stateOf(user, session, "closed");
      },
    },
  ],
  [
    "SIGTERM, and all else",
    {
      scenario: {
        ignore: ["eof", "SIGTERM", "SIGINT", "SIGHUP"],
        rules: [linger, onlyMute("session/cancel"), onlyMute("session/close")],
      },
      limits: { closeRequestTimeoutMs: 100, stdinGraceMs: 100, termGraceMs: 100 },
      see: async (_, session, user) => {
        await user.wait(session, "idle");
        await user.prompt(session, "go");
        await user.call("agent.session.close", { session });
        await stateOf(user, session, "closed");
        expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled" });
      },
    },
  ],
];

test.each(mutes)(
  "an agent that goes mute at %s is waited for no longer than its limit, and is gone then (case 154)",
  async (_, mute) => {
    await using scene = await openScene({ mute: mute.scenario }, { limits: mute.limits });
    const { user, place } = scene;
    const from = performance.now();
    const session = await user.start({ agent: "mute", cwd: place.directory() });
    await mute.see(scene, session, user);
    await user.wait(session, "ended");
    expect(await leftIn(place)).toEqual([]);
    expect(performance.now() - from).toBeLessThan(15_000);
  },
);

const hour = 3_600_000;

const minute = 60_000;

test.each([
  // By the clock its time is over: no answer would count any more, and the agent is not kept waiting for one.
  ["an hour forward", hour, 0],
  ["a minute forward", minute, 9 * minute],
  ["an hour back", -hour, 10 * minute],
])(
  "a clock that is set %s while a question waits keeps it no longer than an answer counts, and an idle limit as long as ever (case 155)",
  async (_, jump, left) => {
    const clock = new ManualClock();
    await using scene = await openScene(
      {
        scripted: {
          rules: [{ on: "session/prompt", do: [{ permission: {} }, { reply: { stopReason: "end_turn" } }] }],
        },
      },
      { clock, settings: 'permission_timeout = "10m"\nidle_timeout = "20m"' },
    );
    const { user } = scene;
    const session = await scene.idle();
    await user.prompt(session, "go");
    await question(user, session);
    clock.shift(jump);
    if (left > 0) {
      clock.advance(left - 1);
      expect((await user.get(session)).state).toBe("waiting");
      clock.advance(1);
    } else {
      // Whoever looks finds it ended, though no timer has run.
      expect(await user.call("agent.permission.list", {})).toEqual({ requests: [] });
    }
    expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
    clock.shift(-jump);
    clock.advance(20 * minute - 1);
    expect((await user.get(session)).state).toBe("idle");
    clock.advance(1);
    expect(await stateOf(user, session, "closed")).toMatchObject({ reason: "idle" });
    const log = await user.log(session);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((__, index) => index + 1));
    expect(ofKind(log, "permission").find(({ phase }) => phase === "resolved")).toMatchObject({ via: "timeout" });
  },
);
