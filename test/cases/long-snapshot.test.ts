// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent that tells more of itself than a frame of the Bus holds: its session stays one that can be worked with.
// @module-tag slow
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { SetConfigReply } from "../../agentd/vocabulary/index.ts";
import { openScene, turnEnd } from "./scene.ts";

const MiB = 1024 * 1024;
const endTurn: Step = { reply: { stopReason: "end_turn" } };
const longText = { $fill: 9 * MiB };

const longOption = {
  id: "mode",
  name: "Mode",
  type: "select",
  currentValue: "a",
  options: ["a", "b"].map((value) => ({ value, name: value })),
  description: longText,
};

test("a plan of 9 MiB is left out of the session's snapshot, which names it; the rest is there", async () => {
  const plan = { sessionUpdate: "plan", entries: [{ content: longText, priority: "high", status: "pending" }] };
  const commands = { sessionUpdate: "available_commands_update", availableCommands: [{ name: "c", description: "d" }] };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ update: plan }, { update: commands }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  const snapshot = await user.get(session);
  expect(snapshot).toMatchObject({ session, turns: 1, plan: [], left_out: ["plan"] });
  expect(snapshot.commands).toHaveLength(1);
});

test("options of 9 MiB can be set, and are left out of what shows them", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [{ update: { sessionUpdate: "config_option_update", configOptions: [longOption] } }, endTurn],
        },
        { on: "session/set_config_option", do: [{ reply: { configOptions: [longOption] } }] },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  expect(await user.get(session)).not.toHaveProperty("left_out");
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(await user.get(session)).toMatchObject({ options: [], left_out: ["options"] });
  const args = { session, option: "mode", value: "b" };
  const reply = await user.call<SetConfigReply>("agent.session.set_config", args);
  expect(reply).toMatchObject({ session, options: [], left_out: ["options"] });
});
