// SPDX-License-Identifier: MIT OR Apache-2.0
// A session that ended comes back by the agent's own way, or afresh with what was said before.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoAgentCommand } from "../agentd/demo-agent/testing/demo-agent-command.ts";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import type { Scenario } from "./scripted-agent/scenario.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { startDaemonProcess } from "./harness/daemon-process.ts";
import { makePlace } from "./harness/place.ts";

const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: "text", text } });
const told = (...updates: ReturnType<typeof chunk>[]) => updates.map((update) => ({ update }));

/** An agent that can load and resume, replaying what it is told to. */
function agent(offers: { load?: boolean; resume?: boolean }, rules: Scenario["rules"] = []) {
  return scriptedAgent({
    initialize: {
      agentCapabilities: {
        loadSession: offers.load === true,
        sessionCapabilities: offers.resume === true ? { resume: {} } : {},
      },
    },
    rules,
  });
}

async function endedSession(user: BusUser, agentName: string, cwd: string): Promise<string> {
  const session = await user.start({ agent: agentName, cwd, prompt: "remember the word pelican" });
  await user.wait(session, "idle");
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  return session;
}

test("what the agent advertises first is taken: resume, with its own session id, and no new session is made", async () => {
  using scripted = agent({ load: true, resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await endedSession(user, "mine", place.directory());
  const reply = await user.call("agent.session.resume", { session });
  expect(reply).toMatchObject({ session, state: "starting" });
  await user.wait(session, "idle");
  const up = (await user.log(session, ["state"])).at(-1);
  expect(up).toMatchObject({ state: "idle", resumed: "resume", agent_session_id: "session-1" });
  const methods = scripted.received().map(({ method }) => method);
  expect(methods.filter((method) => method === "session/new")).toHaveLength(1);
  expect(methods).not.toContain("session/load");
  expect(await user.prompt(session, "which word?")).toBe(2);
  await user.wait(session, "idle");
});

test("the name of an ended session means it until another one is named so, for what acts and for what reads", async () => {
  using scripted = agent({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const first = await user.start({ agent: "mine", cwd: place.directory(), name: "work" });
  await user.wait(first, "idle");
  await user.call("agent.session.close", { session: "work" });
  await user.wait(first, "ended");
  expect(await user.call("agent.session.get", { session: "work" })).toMatchObject({ session: first });
  expect((await user.refusal("agent.session.close", { session: "work" })).code).toBe("SESSION_STATE");
  expect(await user.call("agent.session.resume", { session: "work" })).toMatchObject({ session: first });
  await user.wait(first, "idle");
  await user.call("agent.session.close", { session: "work" });
  await user.wait(first, "ended");
  const second = await user.start({ agent: "mine", cwd: place.directory(), name: "work" });
  await user.wait(second, "idle");
  expect(await user.call("agent.session.get", { session: "work" })).toMatchObject({ session: second });
});

test("a load's replay is neither stored nor published again, and one that tells the same is no difference", async () => {
  const replay = told(
    chunk("user_message_chunk", "remember the word pelican"),
    chunk("agent_message_chunk", "o"),
    chunk("agent_message_chunk", "k"),
  );
  using scripted = agent({ load: true }, [{ on: "session/load", do: [...replay, { reply: null }] }]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await endedSession(user, "mine", place.directory());
  const before = await user.log(session, ["message", "tool_call"]);
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  await user.prompt(session, "go on");
  await user.wait(session, "idle");
  const after = await user.log(session, ["message", "tool_call"]);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ turn }) => turn)).toEqual([2, 2]);
  expect(await user.log(session, ["diagnostic"])).toEqual([]);
  expect(user.seen.filter((entry) => entry.session === session)).toEqual(await user.log(session));
});

test("a replay that tells another past is a diagnostic, and the log stays as it is", async () => {
  const replay = told(
    chunk("user_message_chunk", "remember the word heron"),
    chunk("agent_message_chunk", "ok, heron"),
  );
  using scripted = agent({ load: true }, [{ on: "session/load", do: [...replay, { reply: {} }] }]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await endedSession(user, "mine", place.directory());
  const before = await user.log(session, ["message"]);
  await user.call("agent.session.resume", { session });
  await user.entry(session, (entry) => entry.kind === "diagnostic" && entry.what === "replay-differs");
  expect(await user.log(session, ["message"])).toEqual(before);
});

test.each([
  { tells: "pelican", diagnostics: [] },
  { tells: "a heron", diagnostics: ["replay-differs"] },
])(
  "of a session that was begun afresh the agent's words since are compared: $tells where the log has pelican",
  async ({ tells, diagnostics }) => {
    const replay = told(
      chunk("user_message_chunk", "The conversation so far: [user] remember the word pelican [agent] ok"),
      chunk("user_message_chunk", "which word?"),
      chunk("agent_message_chunk", tells),
    );
    using scripted = agent({ load: true }, [
      { on: "session/prompt", match: "which word?", do: [{ text: "pelican" }, { reply: { stopReason: "end_turn" } }] },
      { on: "session/load", do: [...replay, { reply: null }] },
    ]);
    using place = makePlace({ mine: scripted.command });
    await using daemon = await startDaemonHere(place);
    const user = await BusUser.watching(await daemon.connect());
    const session = await endedSession(user, "mine", place.directory());
    await user.call("agent.session.resume", { session, fresh: true });
    await user.prompt(session, "which word?", "queue");
    await user.entry(session, (entry) => entry.kind === "turn" && entry.turn === 2 && entry.phase === "ended");
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
    await user.call("agent.session.resume", { session });
    await user.wait(session, "idle");
    await user.prompt(session, "go on");
    await user.wait(session, "idle");
    expect((await user.log(session, ["diagnostic"])).map((entry) => entry.kind === "diagnostic" && entry.what)).toEqual(
      diagnostics,
    );
  },
);

test("an advertised way that is refused is reported, and the next one is taken", async () => {
  using scripted = agent({ load: true, resume: true }, [
    { on: "session/resume", do: [{ error: { code: -32603, message: "not today" } }] },
    { on: "session/load", do: [{ reply: {} }] },
  ]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await endedSession(user, "mine", place.directory());
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  const diagnostics = await user.log(session, ["diagnostic"]);
  expect(diagnostics[0]).toMatchObject({ what: "resume-refused" });
  expect((await user.log(session, ["state"])).at(-1)).toMatchObject({ resumed: "load" });
});

test("an agent that offers no way back leaves the session closed as not resumable, and fresh tells it what was said", async () => {
  using scripted = agent({});
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await endedSession(user, "mine", place.directory());
  await user.call("agent.session.resume", { session });
  const ended = await user.wait(session, "ended");
  expect(ended).toMatchObject({ state: "closed", error: { error_code: "SESSION_NOT_RESUMABLE" } });
  expect(await user.get(session)).toMatchObject({ state: "closed", error: { error_code: "SESSION_NOT_RESUMABLE" } });

  await user.call("agent.session.resume", { session, fresh: true });
  await user.wait(session, "idle");
  await user.prompt(session, "which word?");
  await user.wait(session, "idle");
  await user.prompt(session, "again");
  await user.wait(session, "idle");
  const prompts = scripted.received().filter(({ method }) => method === "session/prompt");
  const [, fresh, next] = prompts.map(({ params }) => (params as { prompt: { text: string }[] }).prompt);
  expect(fresh?.map(({ text }) => text).join("\n")).toContain("[user] remember the word pelican");
  expect(fresh?.at(-1)?.text).toBe("which word?");
  expect(next).toHaveLength(1);
  expect(
    (await user.log(session, ["state"])).some((entry) => entry.kind === "state" && entry.resumed === "fresh"),
  ).toBe(true);
});

test("options that people had set are set again before anything is prompted", async () => {
  const options = [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "auto",
      options: [
        { value: "auto", name: "Auto" },
        { value: "plan", name: "Plan" },
      ],
    },
  ];
  const set = options.map((option) => ({ ...option, currentValue: "plan" }));
  using scripted = scriptedAgent({
    initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
    session: { configOptions: options },
    rules: [
      { on: "session/resume", do: [{ reply: { configOptions: options } }] },
      { on: "session/set_config_option", do: [{ reply: { configOptions: set } }] },
    ],
  });
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const session = await user.start({ agent: "mine", cwd: place.directory() });
  await user.wait(session, "idle");
  await user.call("agent.session.set_config", { session, option: "mode", value: "plan" });
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  await user.call("agent.session.resume", { session });
  await user.prompt(session, "go on", "queue");
  await user.entry(session, (entry) => entry.kind === "turn" && entry.phase === "ended");
  const methods = scripted.received().map(({ method }) => method);
  expect(methods.slice(methods.indexOf("session/resume"))).toEqual([
    "session/resume",
    "session/set_config_option",
    "session/prompt",
  ]);
  expect((await user.get(session)).options[0]).toMatchObject({ option: "mode", value: "plan" });
});

test("two resumes of one session at once start one agent, and the second is told that it is starting", async () => {
  using scripted = agent({ resume: true }, [{ on: "session/resume", do: [{ reply: {} }] }]);
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const [one, two] = [new BusUser(await daemon.connect()), new BusUser(await daemon.connect())];
  const session = await endedSession(one, "mine", place.directory());
  const [first, second] = await Promise.allSettled([
    one.call("agent.session.resume", { session }),
    two.call("agent.session.resume", { session }),
  ]);
  expect([first?.status, second?.status].toSorted()).toEqual(["fulfilled", "rejected"]);
  await one.wait(session, "idle");
  expect(scripted.received().filter(({ method }) => method === "session/resume")).toHaveLength(1);
});

test("a directory that is gone, an agent that is gone: each is refused before anything is started", async () => {
  using scripted = agent({ resume: true });
  using place = makePlace({ mine: scripted.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const cwd = place.directory("going");
  const session = await endedSession(user, "mine", cwd);
  rmSync(cwd, { recursive: true });
  expect(await user.refusal("agent.session.resume", { session })).toMatchObject({ code: "ARGUMENT" });
  expect((await user.get(session)).state).toBe("closed");
});

test("after agentd was killed in the middle of a turn the session comes back, and nothing of its agent was left", async () => {
  using scripted = agent({ resume: true }, [
    { on: "session/prompt", match: "one", do: [{ text: "working" }] },
    { on: "session/resume", do: [{ reply: {} }] },
  ]);
  using place = makePlace({ mine: scripted.command });
  let session: string;
  {
    const daemon = await startDaemonProcess(place);
    const user = await BusUser.watching(await daemon.connect());
    session = await user.start({ agent: "mine", cwd: place.directory(), prompt: "one" });
    await user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
    daemon.child.kill("SIGKILL");
    await daemon.exited;
    await user.client.stop();
  }
  await using daemon = await startDaemonProcess(place);
  const user = await BusUser.watching(await daemon.connect());
  const snapshot = await user.get(session);
  expect(snapshot).toMatchObject({ state: "lost", reason: "restart" });
  const turns = await user.log(session, ["turn"]);
  expect(turns.at(-1)).toMatchObject({ turn: 1, phase: "ended", stop_reason: "interrupted", sent: true });
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect(await user.prompt(session, "two")).toBe(2);
  await user.wait(session, "idle");
  const seqs = (await user.log(session)).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
});

test("a transcript that was owed when agentd was killed is still told with the first prompt that reaches the agent", async () => {
  using scripted = agent({ resume: true }, [
    { on: "session/resume", do: [{ reply: {} }] },
    { on: "session/prompt", do: ["default"] },
  ]);
  using place = makePlace({ mine: scripted.command });
  let session: string;
  {
    const daemon = await startDaemonProcess(place);
    const user = await BusUser.watching(await daemon.connect());
    session = await endedSession(user, "mine", place.directory());
    await user.call("agent.session.resume", { session, fresh: true });
    await user.wait(session, "idle");
    daemon.child.kill("SIGKILL");
    await daemon.exited;
    await user.client.stop();
  }
  await using daemon = await startDaemonProcess(place);
  const user = await BusUser.watching(await daemon.connect());
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  await user.prompt(session, "which word?");
  await user.wait(session, "idle");
  const prompts = scripted.received().filter(({ method }) => method === "session/prompt");
  const last = prompts.at(-1)?.params as { prompt: { text: string }[] } | undefined;
  expect(last?.prompt).toHaveLength(2);
  expect(last?.prompt[0]?.text).toContain("remember the word pelican");
});

test("a session of the demo agent comes back after a close and with the next agentd, and its file goes with a purge", async () => {
  using place = makePlace();
  const files = () => readdirSync(join(place.stateDirectory, "demo-sessions"));
  let session: string;
  {
    await using daemon = await startDaemonHere(place);
    const user = new BusUser(await daemon.connect());
    session = await user.start({ agent: "demo", config: { pace: "fast", mode: "ask" }, prompt: "count 3" });
    await user.wait(session, "idle");
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
    await user.call("agent.session.resume", { session });
    expect(await user.wait(session, "idle")).toMatchObject({ state: "idle" });
  }
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  const states = await user.log(session, ["state"]);
  expect(states.flatMap((entry) => (entry.kind === "state" && entry.resumed) || [])).toEqual(["resume", "resume"]);
  expect(await user.log(session, ["diagnostic"])).toEqual([]);
  expect((await user.get(session)).options).toMatchObject([{ value: "ask" }, { value: "fast" }, {}]);
  await user.prompt(session, "count 2");
  await user.wait(session, "idle");
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  expect(files()).toHaveLength(1);
  await user.call("agent.session.purge", { session });
  expect(files()).toEqual([]);
});

test("a session whose first start failed gets the options of its start when it is resumed", async () => {
  using place = makePlace({});
  const flag = join(place.directory(), "it-can-start");
  const command: [string, ...string[]] = [
    "/bin/sh",
    "-c",
    `[ -e "$0" ] || exit 7; exec "$@"`,
    flag,
    ...demoAgentCommand,
  ];
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const cwd = place.directory();
  const session = await user.start({ agent: "late", command, cwd, config: { pace: "fast", mode: "ask" } });
  expect(await user.wait(session, "ended")).toMatchObject({ state: "failed" });
  writeFileSync(flag, "");
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect((await user.get(session)).options).toMatchObject([
    { option: "mode", value: "ask" },
    { option: "pace", value: "fast" },
    { option: "thoughts" },
  ]);
});

test("a purged session is not listed as one to prune", async () => {
  using place = makePlace({});
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  const closed = async (): Promise<string> => {
    const session = await user.start({ agent: "demo" });
    await user.wait(session, "idle");
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
    return session;
  };
  const [purged, kept] = [await closed(), await closed()];
  await user.call("agent.session.purge", { session: purged });
  const before = new Date().toISOString();
  expect(await user.call("agent.log.prune", { before, dry_run: true })).toMatchObject({ sessions: [kept] });
});
