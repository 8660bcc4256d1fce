// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames that are JSON and meant to break whoever reads them: agentd and its other sessions live on.
// @module-tag slow
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import { ofKind, onPrompt, openScene, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

/** Deeper than JSON.stringify goes. */
const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;

/** More values than are taken, in a line that is far from too long. */
const wide = `[${"1,".repeat(1_000_000)}1]`;

function frame(method: string, params: string, id?: number): Step {
  const head = id === undefined ? "" : `"id":${id},`;
  return { raw: `{"jsonrpc":"2.0",${head}"method":"${method}","params":${params}}\n` };
}

function update(members: string): Step {
  return frame("session/update", `{"sessionId":"$","update":{${members}}}`);
}

test("whatever an agent nests too deep is dropped or refused, said once a read, and nothing else is lost", async () => {
  const permission = `{"sessionId":"$","toolCall":{"toolCallId":"a","rawInput":${deep}},"options":[]}`;
  await using scene = await openScene({
    scripted: onPrompt(
      frame("_x/y", `{"a":${deep}}`),
      update(`"sessionUpdate":"tool_call","toolCallId":"a","title":"t","rawInput":${deep}`),
      update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"_meta":{"a":${deep}}`),
      update(`"sessionUpdate":"plan","entries":[],"_meta":{"a":${deep}}`),
      frame("session/request_permission", permission, 7),
      { text: "still here" },
      endTurn,
    ),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(session);
  const faults = ofKind(log, "diagnostic").filter(({ what }) => what === "too-deep");
  expect(faults.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(5);
  expect(JSON.stringify(log)).not.toContain("[".repeat(1_000));
  expect(ofKind(log, "message").map(({ role }) => role)).toContain("agent");
  expect(await user.call("agent.permission.list", {})).toMatchObject({ requests: [] });
  const answer = scene
    .agent()
    .received()
    .find(({ id, method }) => id === 7 && method === undefined);
  expect(answer).toMatchObject({ error: { code: -32600 } });
});

test("an answer to a prompt that is nested too deep ends the turn as failed", async () => {
  await using scene = await openScene({
    // 0 is initialize, 1 is session/new.
    scripted: onPrompt({ raw: `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","usage":{"a":${deep}}}}\n` }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const end = await turnEnd(user, session);
  expect(end).toMatchObject({ stop_reason: "failed", error: { error_code: "AGENT_PROTOCOL" } });
  expect(end.error?.message).toContain("levels");
});

test("whatever holds too many values is refused, and the session goes on", async () => {
  const permission = `{"sessionId":"$","toolCall":{"toolCallId":"a","rawInput":${wide}},"options":[]}`;
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          nth: 1,
          do: [
            frame("_x/y", `{"a":${wide}}`),
            frame("session/request_permission", permission, 7),
            { raw: `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","usage":{"a":${wide}}}}\n` },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const end = await turnEnd(user, session);
  expect(end).toMatchObject({ stop_reason: "failed", error: { error_code: "AGENT_PROTOCOL" } });
  expect(end.error?.message).toContain("values");
  const faults = ofKind(await user.log(session), "diagnostic").filter(({ what }) => what === "too-wide");
  expect(faults.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3);
  await user.prompt(session, "again");
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn" });
  const answer = scene
    .agent()
    .received()
    .find(({ id, method }) => id === 7 && method === undefined);
  expect(answer).toMatchObject({ error: { code: -32600 } });
});

test("a prompt that is nested too deep is an argument that cannot be, and is not logged", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user } = scene;
  const session = await scene.idle();
  const before = (await user.log(session)).length;
  const body = `{"session":"${session}","prompt":[{"type":"text","text":"a","_meta":{"a":${deep}}}]}`;
  const reply = await user.client.call("agent", "agent.session.prompt", undefined, { body });
  expect(JSON.parse(reply.body)).toMatchObject({ error_code: "ARGUMENT" });
  expect(await user.log(session)).toHaveLength(before);
});

test("ids of many megabytes are held by nobody: such updates are kept as they came, as far as they are kept; a title is cut", async () => {
  const huge = "x".repeat(2 * 1024 * 1024);
  await using scene = await openScene({
    scripted: onPrompt(
      { update: { sessionUpdate: "tool_call", toolCallId: huge, title: "t", status: "completed" } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: `a${huge}`, status: "in_progress" } },
      { update: { sessionUpdate: "session_info_update", title: huge } },
      { permission: { toolCall: { toolCallId: huge } }, id: 7 },
      { text: "still here" },
      endTurn,
    ),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(session);
  expect(ofKind(log, "extension").map(({ method, data }) => [method, data])).toEqual([
    ["session/update:tool_call", { truncated: true, bytes: expect.any(Number) as number }],
    ["session/update:tool_call_update", { truncated: true, bytes: expect.any(Number) as number }],
  ]);
  expect(ofKind(log, "info").map(({ title }) => title)).toEqual(["x".repeat(4_096)]);
  const counts = ofKind(log, "diagnostic").map(({ what, count }) => [what, count]);
  expect(counts.filter(([what]) => what === "invalid-update").reduce((sum, [, count]) => sum + Number(count), 0)).toBe(
    2,
  );
  expect(counts.map(([what]) => what)).toContain("invalid-permission");
  expect(ofKind(log, "tool_call")).toEqual([]);
  expect(JSON.stringify(log).length).toBeLessThan(64 * 1024);
  expect(
    scene
      .agent()
      .received()
      .find(({ id, method }) => id === 7 && method === undefined),
  ).toMatchObject({ error: { code: -32602 } });
});

test("a session whose own id is too long does not come up", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/new", do: [{ reply: { sessionId: "x".repeat(1025) } }] }] },
  });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory() });
  const failed = await stateOf(user, session, "failed");
  expect(failed.error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
  expect(failed.error?.message).toContain("1024 characters");
});
