// SPDX-License-Identifier: MIT OR Apache-2.0
// Leases of sessions' editors: who may have one, how one ends, and what becomes of the editor's turns.
import { expect, test } from "vitest";
import { EditorHere } from "../harness/editor.ts";
import type { Scenario } from "../scripted-agent/scenario.ts";
import { ofKind, openScene, type Scene, stateOf, turnEnd } from "./scene.ts";

/** An agent that works until it is cancelled. */
const working = { rules: [{ on: "session/prompt", match: "work", do: [] }] };
const limits = { leaseGraceMs: 50 };

const editorIn = async (scene: Scene): Promise<EditorHere> =>
  await EditorHere.connect(scene.daemon.daemon.busUrl(), {});

async function prompt(editor: EditorHere, session: string, text: string): Promise<void> {
  await editor.call("agent.session.prompt", { session, prompt: text, when_busy: "queue" });
}

test("an editor attaches under its own name and no other, and an agent not at all", async () => {
  await using scene = await openScene({ scripted: {} });
  const session = await scene.idle();
  const { user } = scene;
  expect(await user.refusal("agent.session.attach", { session, citizen: "agent" })).toMatchObject({
    code: "ARGUMENT",
    body: { field: "citizen" },
  });
  expect(await user.refusal("agent.session.detach", { session, citizen: "agent" })).toMatchObject({ code: "ARGUMENT" });
  const name = `mcp-s-${session}-aaaa`;
  const agent = await scene.somebody(name);
  expect((await agent.refusal("agent.session.attach", { session, citizen: name })).code).toBe("AGENT_SELF");
  const before = await user.get(session);
  await using editor = await editorIn(scene);
  expect(await editor.attach(session.slice(0, 8))).toEqual({ session, snapshot: before });
  expect(await editor.call("agent.session.detach", { session, citizen: editor.name })).toEqual({
    session,
    detached: true,
  });
  // Neither was logged.
  expect((await user.get(session)).last_seq).toBe(before.last_seq);
});

test("when an editor leaves the Bus, the turns that it prompted are cancelled by agentd, and those of others go on", async () => {
  await using scene = await openScene({ scripted: working }, { limits });
  const { user } = scene;
  const session = await scene.idle();
  const other = await scene.idle();
  await using editor = await editorIn(scene);
  await editor.attach(session);
  await editor.attach(other);
  await prompt(editor, session, "work");
  await prompt(editor, session, "then this");
  await user.prompt(session, "mine", "queue");
  await user.prompt(other, "work");
  await editor.kill();
  for (const turn of [1, 2]) expect(await turnEnd(user, session, turn)).toMatchObject({ stop_reason: "cancelled" });
  expect(await turnEnd(user, session, 3)).toMatchObject({ stop_reason: "end_turn" });
  const entries = await user.log(session);
  const cancel = ofKind(entries, "command").find(({ verb }) => verb === "agent.session.cancel");
  expect(cancel).toMatchObject({ by: null, origin: "agentd", args: { reason: `${editor.name} has left the Bus` } });
  expect(ofKind(entries, "reply").find(({ command_seq }) => command_seq === cancel?.seq)).toMatchObject({
    rc: 0,
    body: { turns: [1, 2] },
  });
  expect(await user.get(other)).toMatchObject({ state: "running" });
  expect(ofKind(await user.log(other), "command").map(({ verb }) => verb)).not.toContain("agent.session.cancel");
});

test.each<[string, (editor: EditorHere, session: string) => Promise<unknown>, object]>([
  ["that said keep_running and leaves", (editor) => editor.kill(), { keep_running: true }],
  [
    "that detaches and then leaves",
    async (editor, session) => {
      await editor.call("agent.session.detach", { session, citizen: editor.name });
      await editor.kill();
    },
    {},
  ],
])("the turn of an editor %s goes on", async (_, leave, more) => {
  await using scene = await openScene({ scripted: working }, { limits });
  const { user } = scene;
  const [kept, cancelled] = [await scene.idle(), await scene.idle()];
  await using editor = await editorIn(scene);
  await using fleeting = await editorIn(scene);
  await editor.attach(kept, more);
  await prompt(editor, kept, "work");
  await leave(editor, kept);
  // Its end comes later than the other's would have come.
  await fleeting.attach(cancelled);
  await prompt(fleeting, cancelled, "work");
  await fleeting.kill();
  await turnEnd(user, cancelled);
  expect(await user.get(kept)).toMatchObject({ running: { turn: 1, state: "running" } });
});

test("an editor whose connection breaks and that attaches again in time keeps its lease and its turn", async () => {
  await using scene = await openScene({ scripted: working }, { limits: { leaseGraceMs: 800 } });
  const { user } = scene;
  const [kept, cancelled] = [await scene.idle(), await scene.idle()];
  await using editor = await editorIn(scene);
  await using fleeting = await editorIn(scene);
  await editor.attach(kept);
  await fleeting.attach(cancelled);
  await prompt(editor, kept, "work");
  await prompt(fleeting, cancelled, "work");
  await editor.kill();
  await using again = await EditorHere.connect(scene.daemon.daemon.busUrl(), {}, editor.name);
  await again.attach(kept);
  await fleeting.kill();
  await turnEnd(user, cancelled);
  expect(await user.get(kept)).toMatchObject({ running: { turn: 1, state: "running" } });
});

test("a session that its editor has left is closed and comes back by resume, and one with another editor stays", async () => {
  const resumable: Scenario = {
    initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
    rules: [{ on: "session/resume", do: [{ reply: {} }] }],
  };
  await using scene = await openScene({ scripted: resumable }, { limits: { ...limits, leftSessionMs: 50 } });
  const { user } = scene;
  const [left, attended] = [await scene.idle(), await scene.idle()];
  await using editor = await editorIn(scene);
  await using other = await editorIn(scene);
  for (const session of [left, attended]) await editor.attach(session, { keep_running: true });
  await other.attach(attended);
  await prompt(editor, left, "one");
  await turnEnd(user, left);
  await editor.kill();
  expect(await stateOf(user, left, "closed")).toMatchObject({ reason: "left" });
  const close = ofKind(await user.log(left), "command").at(-1);
  expect(close).toMatchObject({ verb: "agent.session.close", by: null, origin: "agentd" });
  expect(close?.args["reason"]).toBe(`its editor ${editor.name} left 0 s ago`);
  await user.call("agent.session.resume", { session: left });
  await user.wait(left, "idle");
  await user.prompt(left, "two");
  expect(await turnEnd(user, left, 2)).toMatchObject({ stop_reason: "end_turn" });
  expect(await user.get(attended)).toMatchObject({ state: "idle" });
});
