// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions that come back: by agents that answer oddly, tell the past otherwise, die again or never said a word of it.
// @module-tag slow
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Rule, Scenario, Step } from "../scripted-agent/scenario.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { within } from "../harness/deadline.ts";
import { leftOf, livingIn } from "./living.ts";
import { agentText, makeCast, ofKind, openScene, type Scene, startWatched, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

/** An agent that offers these ways back. */
function returning(ways: { load?: boolean; resume?: boolean }, rules: readonly Rule[]): Scenario {
  const { load = false, resume = false } = ways;
  return {
    initialize: {
      agentCapabilities: { loadSession: load, sessionCapabilities: resume ? { resume: {} } : {} },
    },
    rules,
  };
}

function said(sessionUpdate: string, text: string): Step {
  return { update: { sessionUpdate, content: { type: "text", text } } };
}

async function close(user: BusUser, session: string): Promise<void> {
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
}

/** Idle again, in a new life. */
async function comeBack(user: BusUser, session: string, fresh?: true): Promise<void> {
  await user.call("agent.session.resume", { session, ...(fresh ? { fresh } : {}) });
  const { state } = await user.wait(session, "idle");
  expect(state).toBe("idle");
}

async function turn(user: BusUser, session: string, prompt: string): Promise<number> {
  const number = await user.prompt(session, prompt);
  await turnEnd(user, session, number);
  return number;
}

/** From its next start on, the scene's agent behaves so. */
function behave(scene: Pick<Scene, "agent">, scenario: Scenario): void {
  const { directory } = scene.agent();
  const record = join(directory, "record.ndjson");
  writeFileSync(join(directory, "scenario.json"), JSON.stringify({ record, ...scenario }));
}

/** The pids of the session's agents, life after life. */
function pids(log: readonly Entry[]): number[] {
  return ofKind(log, "state").flatMap(({ process }) => (process ? [process.pid] : []));
}

test.each([
  ["null", null],
  ["{}", {}],
  ["an answer of another session", { sessionId: "elsewhere" }],
] as const)(
  "a session/load that is answered with %s brings back the very session that was asked for (case 22)",
  async (_, reply) => {
    await using scene = await openScene({
      scripted: returning({ load: true }, [{ on: "session/load", do: [{ reply }] }]),
    });
    const { user } = scene;
    const session = await scene.idle();
    await turn(user, session, "one");
    await close(user, session);
    await comeBack(user, session);
    await turn(user, session, "two");
    expect(await user.get(session)).toMatchObject({ agent_session_id: "session-1", turns: 2 });
    const sent = scene.agent().received();
    expect(sent.filter(({ method }) => method === "session/new")).toHaveLength(1);
    const prompted = sent.filter(({ method }) => method === "session/prompt");
    expect(prompted.map(({ params }) => params)).toMatchObject([
      { sessionId: "session-1" },
      { sessionId: "session-1" },
    ]);
  },
);

test("history that an agent tells during session/resume, where it must not, is neither logged nor published (case 34)", async () => {
  const history = [
    said("user_message_chunk", "one"),
    said("agent_message_chunk", "ok"),
    { update: { sessionUpdate: "tool_call", toolCallId: "old", title: "Old" } },
    { update: { sessionUpdate: "plan", entries: [] } },
  ];
  await using scene = await openScene({
    scripted: returning({ resume: true }, [{ on: "session/resume", do: [...history, { reply: {} }] }]),
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "one");
  await close(user, session);
  const before = await user.log(session);
  await comeBack(user, session);
  await turn(user, session, "two");
  const log = await user.log(session);
  const after = log.slice(before.length);
  expect(after.filter(({ kind }) => kind === "tool_call" || kind === "plan")).toEqual([]);
  expect(ofKind(after, "message").map(({ role, turn: of }) => [role, of])).toEqual([
    ["user", 2],
    ["agent", 2],
  ]);
  expect(user.seen.filter((entry) => entry.session === session)).toEqual(log);
});

const toldTurn: readonly Rule[] = [
  {
    on: "session/prompt",
    match: "one",
    do: [
      said("agent_message_chunk", "first "),
      { update: { sessionUpdate: "tool_call", toolCallId: "call-1", title: "Look", status: "completed" } },
      said("agent_message_chunk", "second"),
      endTurn,
    ],
  },
];

test("a replay in bigger pieces, with other tool ids and an empty chunk, leaves our record alone and is no other past (case 35)", async () => {
  const replay = [
    said("user_message_chunk", "one"),
    said("user_message_chunk", ""),
    { update: { sessionUpdate: "tool_call", toolCallId: "rewritten-1", title: "Look", status: "completed" } },
    said("agent_message_chunk", "first second"),
  ];
  await using scene = await openScene({
    scripted: returning({ load: true }, [...toldTurn, { on: "session/load", do: [...replay, { reply: {} }] }]),
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "one");
  await close(user, session);
  const before = await user.log(session);
  await comeBack(user, session);
  // A second life after the first: the comparison of the first is over by then.
  await close(user, session);
  await comeBack(user, session);
  const log = await user.log(session);
  expect(log.slice(0, before.length)).toEqual(before);
  const kinds = new Set(log.slice(before.length).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(["command", "reply", "state"]);
});

test("a replay without the turn that was interrupted is said to differ, and the log keeps that turn (case 35)", async () => {
  await using scene = await openScene({
    scripted: returning({ load: true }, [
      { on: "session/prompt", match: "one", do: ["default"] },
      { on: "session/prompt", match: "lost", do: [{ text: "half a" }] },
      {
        on: "session/load",
        do: [said("user_message_chunk", "one"), said("agent_message_chunk", "ok"), { reply: {} }],
      },
    ]),
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "one");
  await user.prompt(session, "lost");
  await user.entry(session, (entry) => entry.kind === "message" && entry.content["text"] === "half a");
  await close(user, session);
  const before = await user.log(session);
  await user.call("agent.session.resume", { session });
  const told = await user.entry(session, (entry) => entry.kind === "diagnostic" && entry.what === "replay-differs");
  expect(told).toMatchObject({ message: expect.stringContaining("the log is authoritative") as string });
  await user.wait(session, "idle");
  const log = await user.log(session);
  expect(log.slice(0, before.length)).toEqual(before);
  expect(agentText(log, 2)).toBe("half a");
  // The number of the turn that the agent forgot is not given again.
  expect(await turn(user, session, "one")).toBe(3);
});

test("each life's id of the agent's own is in the log, a fresh one beside the old, and the last one is used (case 38)", async () => {
  const named = (sessionId: string): Scenario => ({
    ...returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]),
    session: { sessionId },
  });
  await using scene = await openScene({ scripted: named("before-clear") });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "one");
  await close(user, session);
  behave(scene, named("after-clear"));
  await comeBack(user, session, true);
  await turn(user, session, "two");
  await close(user, session);
  await comeBack(user, session);
  await turn(user, session, "three");
  const up = ofKind(await user.log(session), "state").filter((entry) => entry.agent_session_id !== undefined);
  expect(up.map(({ agent_session_id, resumed }) => [agent_session_id, resumed])).toEqual([
    ["before-clear", undefined],
    ["after-clear", "fresh"],
    ["after-clear", "resume"],
  ]);
  const prompted = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => (params as { sessionId: string }).sessionId);
  expect(prompted).toEqual(["before-clear", "after-clear", "after-clear"]);
});

test("what an agent says under another id in the middle of its life is kept and told, and mixed with nothing (case 38)", async () => {
  const elsewhere: Step = {
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "under another id" } },
    sessionId: "cleared",
  };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [elsewhere, { text: "here" }, endTurn] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "go");
  const log = await user.log(session);
  expect(agentText(log)).toBe("here");
  expect(ofKind(log, "diagnostic")).toMatchObject([
    { what: "foreign-session", sample: expect.stringContaining("cleared") as string },
  ]);
  expect(JSON.stringify(ofKind(log, "extension"))).toContain("under another id");
  expect((await user.get(session)).agent_session_id).toBe("session-1");
});

test("an agent that dies at each return is started once for each resume, and comes back when it is well (case 40)", async () => {
  const well = [{ on: "session/resume", do: [{ reply: {} }] }] as const;
  const dying: Rule[] = [{ on: "session/resume", do: [{ reply: {} }, { stderr: "no luck\n" }, { kill: "SIGKILL" }] }];
  await using scene = await openScene({ scripted: returning({ resume: true }, well) });
  const { user } = scene;
  const session = await scene.idle();
  process.kill(pids(await user.log(session))[0]!, "SIGKILL");
  expect(await user.wait(session, "ended")).toMatchObject({ state: "lost", error: { error_code: "AGENT_EXITED" } });
  behave(scene, returning({ resume: true }, dying));
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await user.call("agent.session.resume", { session });
    const ended = await user.wait(session, "ended");
    expect(["lost", "failed"]).toContain(ended.state);
    expect(ended.error).toMatchObject({ error_code: "AGENT_EXITED", exit: { signal: "SIGKILL" } });
  }
  expect(livingIn(scene.place)).toEqual([]);
  behave(scene, returning({ resume: true }, well));
  await comeBack(user, session);
  expect(await turn(user, session, "well again?")).toBe(1);
  const log = await user.log(session);
  expect(pids(log)).toHaveLength(7);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
});

test("a prompt to a session whose agent was killed meanwhile is told why, and goes on after a resume (case 41)", async () => {
  await using scene = await openScene({
    scripted: returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]),
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "one");
  process.kill(pids(await user.log(session))[0]!, "SIGKILL");
  await stateOf(user, session, "lost");
  const refused = await user.refusal("agent.session.prompt", { session, prompt: "two" });
  expect(refused.code).toBe("SESSION_STATE");
  expect(refused.body["message"]).toContain("lost");
  await comeBack(user, session);
  expect(await turn(user, session, "two")).toBe(2);
});

test("a prompt in the very moment of the agent's death is refused or ends as failed, and never in silence (case 41)", async () => {
  await using scene = await openScene({
    scripted: returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]),
  });
  const { user } = scene;
  const session = await scene.idle();
  for (let round = 0; round < 5; round += 1) {
    process.kill(pids(await user.log(session)).at(-1)!, "SIGKILL");
    const outcome = await user.prompt(session, "there?").catch((error: Error) => error);
    await user.wait(session, "ended");
    if (typeof outcome === "number") {
      expect(await turnEnd(user, session, outcome)).toMatchObject({
        stop_reason: "failed",
        error: { error_code: "AGENT_EXITED" },
      });
    } else expect(outcome).toMatchObject({ code: "SESSION_STATE" });
    await comeBack(user, session);
  }
});

test("what an agent of a killed agentd left behind is ended before anything else, and that is logged (case 44)", async () => {
  const stubborn: Scenario = {
    ...returning({ resume: true }, [
      {
        on: "start",
        do: [
          { spawn: "session", count: 2 },
          { spawn: "orphan_session", count: 2 },
        ],
      },
      { on: "session/prompt", do: [{ text: "working" }] },
      { on: "session/resume", do: [{ reply: {} }] },
    ]),
    ignore: ["eof", "SIGTERM", "SIGHUP"],
  };
  using cast = makeCast({ scripted: stubborn });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const session = await first.user.start({ agent: "scripted", cwd: place.directory(), prompt: "go" });
  await first.user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  const left = livingIn(place).filter(({ pid }) => pid !== killed.child.pid);
  expect(left.length).toBeGreaterThanOrEqual(5);
  killed.child.kill("SIGKILL");
  await within(10_000, "agentd is not gone", killed.exited);
  expect(livingIn(place)).toHaveLength(left.length);

  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  // Before it was on the Bus.
  expect(livingIn(place).map(({ pid }) => pid)).toEqual([daemon.child.pid]);
  const diagnostics = ofKind(await user.log(session), "diagnostic");
  expect(diagnostics).toMatchObject([
    { what: "leftover-processes", message: expect.stringMatching(/^\d+ processes/) as string },
  ]);
  behave(cast, returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]));
  await comeBack(user, session);
  await close(user, session);
  await expect.poll(() => livingIn(place).map(({ pid }) => pid), { timeout: 10_000 }).toEqual([daemon.child.pid]);
});

test.each<[string, (user: BusUser, session: string) => Promise<unknown>]>([
  [
    "a resume",
    async (user, session) => {
      await user.prompt(session, "shout");
      await stateOf(user, session, "lost");
      await user.call("agent.session.resume", { session });
    },
  ],
  [
    "a return that no one asked for",
    async (user, session) => {
      await user.prompt(session, "mute");
      await user.call("agent.session.cancel", { session });
      await user.entry(
        session,
        (entry) => entry.kind === "state" && entry.state === "starting" && entry.reason !== undefined,
      );
    },
  ],
])("%s while the old agent is still dying waits until that one is gone (case 50)", async (_, replace) => {
  const scripted: Scenario = {
    ...returning({ resume: true }, [
      { on: "session/prompt", match: "shout", do: [{ raw: "x".repeat(100_000) }] },
      { on: "session/prompt", match: "mute", do: [] },
      { on: "session/cancel", do: [] },
      { on: "session/resume", do: [{ reply: {} }] },
    ]),
    ignore: ["eof", "SIGTERM"],
  };
  const limits = { lineBytesMax: 65_536, cancelForceMs: 50, drainTimeoutMs: 50 };
  await using scene = await openScene({ scripted }, { limits });
  const { user } = scene;
  const session = await scene.idle();
  const [old] = pids(await user.log(session));
  await replace(user, session);
  expect(livingIn(scene.place).map(({ pid }) => pid)).toContain(old);
  await user.entry(
    session,
    (entry) => entry.kind === "state" && entry.process !== undefined && entry.process.pid !== old,
  );
  expect(await leftOf([old!], 0)).toEqual([]);
  await user.wait(session, "idle");
  expect(await turn(user, session, "well?")).toBe(2);
});

test("two resumes at once start one agent, whoever asked (case 55)", async () => {
  await using scene = await openScene({
    scripted: returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]),
  });
  const session = await scene.idle();
  await close(scene.user, session);
  const people = [scene.user, await scene.somebody(), await scene.somebody()];
  const results = await Promise.allSettled(people.map((one) => one.call("agent.session.resume", { session })));
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "SESSION_STATE" });
  await scene.user.wait(session, "idle");
  expect(pids(await scene.user.log(session))).toHaveLength(2);
});

test("sessions that were idle when agentd was killed all take a prompt again once they are resumed (case 58)", async () => {
  using cast = makeCast({
    scripted: returning({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]),
  });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const sessions: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const session = await first.user.start({ agent: "scripted", cwd: place.directory() });
    await first.user.wait(session, "idle");
    sessions.push(session);
  }
  killed.child.kill("SIGKILL");
  await within(10_000, "agentd is not gone", killed.exited);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  for (const session of sessions) {
    expect((await user.refusal("agent.session.prompt", { session, prompt: "still there?" })).code).toBe(
      "SESSION_STATE",
    );
    await comeBack(user, session);
    expect(await turn(user, session, "still there?")).toBe(1);
    expect(agentText(await user.log(session))).toBe("ok");
  }
});

test("a session whose log has a message of more than a page's entry comes back fresh with the end of it (case 37)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          match: "much",
          do: [{ text: { $fill: 1_200_000, of: "wide é " } }, { text: "the end" }, endTurn],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await turn(user, session, "much");
  await close(user, session);
  await comeBack(user, session, true);
  await turn(user, session, "go on");
  const prompts = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt");
  const [told, asked] = (prompts.at(-1)!["params"] as { prompt: { text: string }[] }).prompt.map(({ text }) => text);
  expect(asked).toBe("go on");
  expect(told).toMatch(/wide é the end$/);
  expect(Buffer.byteLength(told ?? "")).toBeLessThan(66 * 1024);
});

test("a session whose directory was moved, and a link left in its place, comes back in the directory itself", async () => {
  const read: Step = { request: "fs/read_text_file", params: { sessionId: "$sessionId", path: "$cwd/notes" } };
  const rules: Rule[] = [
    { on: "session/resume", do: [{ reply: {} }] },
    { on: "session/prompt", do: [read, endTurn] },
  ];
  const agentCapabilities = { sessionCapabilities: { resume: {}, additionalDirectories: {} } };
  await using scene = await openScene({ scripted: { initialize: { agentCapabilities }, rules } });
  const { user, place } = scene;
  const cwd = place.directory();
  const extra = place.directory();
  writeFileSync(join(cwd, "notes"), "here");
  const session = await scene.idle({ cwd, additional_dirs: [extra] });
  await close(user, session);
  for (const directory of [cwd, extra]) {
    renameSync(directory, `${directory}.moved`);
    symlinkSync(`${directory}.moved`, directory);
  }
  await comeBack(user, session);
  expect(await user.get(session)).toMatchObject({ cwd: `${cwd}.moved` });
  await turn(user, session, "read");
  const log = await user.log(session);
  expect(ofKind(log, "file")).toMatchObject([{ op: "read", phase: "done", bytes: 4 }]);
  expect(ofKind(log, "state").findLast(({ agent }) => agent !== undefined)).toMatchObject({
    cwd: `${cwd}.moved`,
    additional_dirs: [`${extra}.moved`],
  });
});
