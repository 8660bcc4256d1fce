// SPDX-License-Identifier: MIT OR Apache-2.0
// A good agent beside a bad one: whatever the bad one does, the good one's turns end, soon, and agentd lives.
// @module-tag slow
import { expect, test } from "vitest";
import type { Scenario, Step } from "../scripted-agent/scenario.ts";
import type { Entry, PermissionListReply, SessionListReply, TruncatedEntry } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { leftIn } from "./living.ts";
import { agentText, openScene, question, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const MiB = 1024 * 1024;

function onPrompt(...steps: Step[]): Scenario {
  return {
    rules: [
      { on: "session/prompt", do: steps },
      { on: "session/cancel", do: [] },
    ],
  };
}

/** What the bad agent does, and how its session has ended, or where it stands, when it has done it. */
const bad: readonly [string, Scenario, (user: BusUser, session: string) => Promise<void>][] = [
  [
    "floods it with text",
    onPrompt({ flood: "chunks", count: 100_000 }, endTurn),
    async (user, session) => expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" }),
  ],
  [
    "floods it with tool calls of 8 KiB",
    onPrompt({ flood: "tool_calls", count: 1_500 }, endTurn),
    async (user, session) => expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" }),
  ],
  [
    "writes a line of more than 64 MiB",
    onPrompt({ send: { much: { $fill: 64 * MiB } } }),
    async (user, session) => {
      expect((await stateOf(user, session, "lost")).error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
    },
  ],
  [
    "writes garbage",
    onPrompt(
      { repeat: 20, do: [{ raw: "AP8A//4KgIGC/w==".repeat(200), encoding: "base64" }, { raw: "\n{\n[]\n\n" }] },
      endTurn,
    ),
    async (user, session) => expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" }),
  ],
  [
    "exits in the middle of a frame",
    onPrompt({ raw: '{"jsonrpc":"2.0","method":"session/upd' }, { exit: 1 }),
    async (user, session) => {
      expect((await stateOf(user, session, "lost")).error).toMatchObject({ error_code: "AGENT_EXITED" });
    },
  ],
  [
    "is stopped by a signal",
    onPrompt({ kill: "SIGSTOP" }),
    async (user, session) => {
      expect(await user.get(session)).toMatchObject({ state: "running" });
    },
  ],
  [
    "floods its stderr",
    onPrompt({ flood: "stderr", count: 200_000 }, endTurn),
    async (user, session) => expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" }),
  ],
];

/** Turns of the good agent that are timed. */
const turns = 20;

test.each(bad)(
  "an agent that %s leaves its neighbour's turns as quick as may be and agentd alive",
  async (_, scenario, ended) => {
    await using scene = await openScene({ bad: scenario, good: {} });
    const { user } = scene;
    const { place } = scene;
    const good = await scene.idle({ agent: "good" });
    const session = await scene.idle({ agent: "bad" });
    const other = await scene.somebody();
    const alone = await slowest(other, good, 1);
    await user.prompt(session, "misbehave");
    const beside = await slowest(other, good, 1 + turns);
    // Generous, since a small machine is shared with the test and the other tests: a turn that waits for the neighbour is not.
    expect(beside).toBeLessThan(alone * 20 + 1_500);
    await ended(user, session);
    expect(await user.call("agent.status", {})).toMatchObject({ sessions: { max: 8 } });
    expect(agentText(await other.log(good))).toBe("ok".repeat(2 * turns));
    for (const id of [good, session]) {
      if ((await user.get(id)).state === "lost") continue;
      await user.call("agent.session.close", { session: id });
      await user.wait(id, "ended");
    }
    expect(await leftIn(place)).toEqual([]);
  },
);

test("an agent with titles and questions of megabytes takes nothing from the lists that others ask for", async () => {
  const titles: Step[] = [4_000, 6 * MiB].map((size) => ({
    update: { sessionUpdate: "session_info_update", title: { $fill: size } },
  }));
  const long: Step[] = [3, 9].map((size) => ({
    permission: { toolCall: { toolCallId: `t${size}`, kind: "edit", rawInput: { $fill: size * MiB } } },
    await: false,
  }));
  await using scene = await openScene({
    bad: onPrompt(...titles, ...long),
    good: onPrompt({ permission: { toolCall: { toolCallId: "t", rawInput: "short" } } }, endTurn),
  });
  const { user } = scene;
  const greedy = await scene.idle({ agent: "bad" });
  const modest = await scene.idle({ agent: "good" });
  for (const session of [greedy, modest]) await user.prompt(session, "ask");
  await user.entry(greedy, isLongQuestion);
  await question(user, modest);
  const request = `${greedy}-2`;
  const { requests } = await user.call<PermissionListReply>("agent.permission.list", {});
  expect(requests).toHaveLength(3);
  expect(requests.find(({ session }) => session === modest)).toMatchObject({ tool_call: { raw_input: "short" } });
  const alone = (await user.call<PermissionListReply>("agent.permission.list", { request })).requests;
  expect(alone).toMatchObject([{ request, tool_call: { tool_kind: "edit" }, left_out: ["raw_input"] }]);
  expect((await user.get(greedy)).requests).toHaveLength(2);
  const { sessions } = await user.call<SessionListReply>("agent.session.list", {});
  expect(sessions.find(({ session }) => session === greedy)?.title).toHaveLength(256);
  // The log has them whole.
  expect((await user.log(greedy)).filter(isLongQuestion)).toHaveLength(1);
});

/** An entry that is too long for the topic and for a page is there by its size. */
function isLongQuestion(entry: Entry | TruncatedEntry): boolean {
  return entry.kind === "permission" && "bytes" in entry && entry.bytes > 8 * MiB;
}

/** The longest of the turns, in ms. */
async function slowest(user: BusUser, session: string, from: number): Promise<number> {
  let longest = 0;
  for (let turn = from; turn < from + turns; turn += 1) {
    const began = performance.now();
    await user.prompt(session, "go");
    expect(await turnEnd(user, session, turn)).toMatchObject({ stop_reason: "end_turn" });
    longest = Math.max(longest, performance.now() - began);
  }
  return longest;
}
