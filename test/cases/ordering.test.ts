// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents say things before, after and between: each belongs to one turn, and nothing is lost for being untimely.
// @module-tag slow
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import { agentText, ofKind, openScene, question, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

test("what an agent says after it has answered belongs to the turn that ended, and is marked late (case 26)", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [
        {
          on: "session/prompt",
          nth: 1,
          do: [{ text: "head" }, endTurn, { waitForFile: `${directory}/go` }, { text: " tail" }],
        },
      ],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  writeFileSync(`${scene.agent().directory}/go`, "");
  const late = await user.entry(session, (entry) => entry.kind === "message" && entry.late === true);
  expect(late).toMatchObject({ turn: 1, late: true, content: { text: " tail" } });
  await user.prompt(session, "next");
  await turnEnd(user, session, 2);
  const log = await user.log(session);
  expect(agentText(log, 1)).toBe("head tail");
  expect(agentText(log, 2)).toBe("ok");
});

test("a late text in the very write of the answer is late too, and no turn's text gets into the next (case 26)", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", nth: 1, do: [{ glue: [{ text: "a" }, endTurn, { text: "b" }] }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  const late = await user.entry(session, (entry) => entry.kind === "message" && entry.late === true);
  expect(late).toMatchObject({ turn: 1, content: { text: "b" } });
});

test("what comes in one write with the answer to session/new, and before it, is not lost (case 28)", async () => {
  const commands = {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "plan", description: "p" }],
  };
  const usage = { sessionUpdate: "usage_update", used: 1, size: 2 };
  const info = { sessionUpdate: "session_info_update", title: "Early" };
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/new",
          do: [
            { update: info, sessionId: "s" },
            { glue: [{ reply: { sessionId: "s" } }, { update: commands }, { update: usage }] },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  const log = await user.log(session);
  expect(ofKind(log, "info")).toMatchObject([{ title: "Early" }]);
  expect(ofKind(log, "commands")).toHaveLength(1);
  expect(ofKind(log, "usage")).toHaveLength(1);
  expect(await user.get(session)).toMatchObject({
    title: "Early",
    commands: [{ name: "plan" }],
    usage: { used: 1, size: 2 },
  });
});

test("an agent that tells all and exits without an answer has failed its turn, and its text is kept (case 29)", async () => {
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ text: "all of it" }, { exit: 0 }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const end = await turnEnd(user, session);
  expect(end).toMatchObject({ stop_reason: "failed", sent: true, error: { error_code: "AGENT_EXITED" } });
  expect(end.error).toMatchObject({ exit: { code: 0 } });
  const lost = await stateOf(user, session, "lost");
  expect(lost.seq).toBeGreaterThan(end.seq);
  expect(agentText(await user.log(session))).toBe("all of it");
  expect(await user.refusal("agent.session.prompt", { session, prompt: "again" })).toMatchObject({
    code: "SESSION_STATE",
  });
});

test("a tool call that its agent left open is closed with the turn, and its late end counts for that turn (case 31)", async () => {
  const call = { sessionUpdate: "tool_call", toolCallId: "bg", title: "Build", kind: "execute", status: "in_progress" };
  const update = (status: string, title: string) => ({
    sessionUpdate: "tool_call_update",
    toolCallId: "bg",
    status,
    title,
  });
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [
        {
          on: "session/prompt",
          nth: 1,
          do: [
            { update: call },
            endTurn,
            { waitForFile: `${directory}/idle` },
            { update: update("in_progress", "while idle") },
          ],
        },
        { on: "session/prompt", nth: 2, do: [{ update: update("completed", "while another runs") }, endTurn] },
      ],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const end = await turnEnd(user, session);
  writeFileSync(`${scene.agent().directory}/idle`, "");
  await user.entry(session, (entry) => entry.kind === "tool_call" && entry.title === "while idle");
  await user.prompt(session, "and now");
  const second = await turnEnd(user, session, 2);
  const calls = ofKind(await user.log(session), "tool_call");
  expect(calls).toMatchObject([
    { tool_call_id: "bg", turn: 1, status: "in_progress" },
    { tool_call_id: "bg", turn: 1, status: "failed", closed_by: "agentd" },
    { tool_call_id: "bg", turn: 1, late: true, status: "in_progress", title: "while idle" },
    { tool_call_id: "bg", turn: 1, late: true, status: "completed", title: "while another runs" },
  ]);
  expect(calls[1]?.seq).toBeLessThan(end.seq);
  expect(calls[3]?.seq).toBeLessThan(second.seq);
  expect(calls[0]?.late).toBeUndefined();
});

test("a question that comes before its tool call creates it, and so does an update of one never seen (case 32)", async () => {
  const toolCall = { toolCallId: "x", title: "Write", kind: "edit", rawInput: { path: "/a" } };
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [
            { permission: { toolCall } },
            { update: { sessionUpdate: "tool_call", ...toolCall, status: "in_progress" } },
            { update: { sessionUpdate: "tool_call_update", toolCallId: "x", status: "completed" } },
            { update: { sessionUpdate: "tool_call_update", toolCallId: "never announced", status: "in_progress" } },
            endTurn,
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const asked = await question(user, session);
  expect((await user.get(session)).state).toBe("waiting");
  await user.call("agent.permission.answer", { session, request: asked.request, option: "allow" });
  await turnEnd(user, session);
  const calls = ofKind(await user.log(session), "tool_call");
  expect(calls).toMatchObject([
    { tool_call_id: "x", turn: 1, title: "Write", tool_kind: "edit", status: "pending", raw_input: { path: "/a" } },
    { tool_call_id: "x", turn: 1, status: "in_progress" },
    { tool_call_id: "x", turn: 1, status: "completed" },
    { tool_call_id: "never announced", turn: 1, status: "in_progress" },
    { tool_call_id: "never announced", turn: 1, status: "failed", closed_by: "agentd" },
  ]);
  expect(calls[0]?.seq).toBeLessThan(asked.seq);
});
