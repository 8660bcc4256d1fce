// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd's own end, asked for or not, and what the next one makes of it.
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { Scenario } from "../scripted-agent/scenario.ts";
import type { Entry, SessionListReply } from "../../agentd/vocabulary/index.ts";
import { agentdProgram, type DaemonProcess } from "../harness/daemon-process.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { within } from "../harness/deadline.ts";
import { leftIn, livingIn } from "./living.ts";
import { makeCast, ofKind, question, startWatched, stateOf, turnEnd } from "./scene.ts";

const option = {
  id: "mode",
  name: "Mode",
  type: "select",
  currentValue: "a",
  options: ["a", "b"].map((value) => ({ value, name: value })),
};

/** Does what its prompt says. */
const versatile: Scenario = {
  session: { configOptions: [option] },
  rules: [
    {
      on: "session/prompt",
      match: "speak",
      do: [{ text: "so far" }, { update: { sessionUpdate: "tool_call", toolCallId: "open", title: "Open" } }],
    },
    { on: "session/prompt", match: "silent", do: [] },
    { on: "session/prompt", match: "ask", do: [{ permission: {} }] },
    { on: "session/set_config_option", do: [] },
  ],
};

async function killHard(daemon: DaemonProcess): Promise<void> {
  daemon.child.kill("SIGKILL");
  await within(10_000, "agentd is not gone", daemon.exited);
}

function withoutGap(log: readonly Entry[]): boolean {
  return log.every(({ seq }, index) => seq === index + 1);
}

test("after kill -9 nothing claims to live, every turn has its one end and the log has no gap (cases 58, 59)", async () => {
  using cast = makeCast({ scripted: versatile, mute: { rules: [{ on: "initialize", do: [] }] } });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const { user } = first;
  const start = async (agent = "scripted"): Promise<string> => await user.start({ agent, cwd: place.directory() });
  const idle = await start();
  const speaking = await start();
  const silent = await start();
  const asking = await start();
  const setting = await start();
  for (const session of [idle, speaking, silent, asking, setting]) await user.wait(session, "idle");
  const starting = await user.start({ agent: "mute", cwd: place.directory(), prompt: "later" });
  await user.prompt(speaking, "speak");
  await user.entry(speaking, (entry) => entry.kind === "tool_call");
  const behind = await user.prompt(speaking, "behind it", "queue");
  await user.prompt(silent, "silent");
  await user.prompt(asking, "ask");
  await question(user, asking);
  const change = { session: setting, option: "mode", value: "b", command_id: "set" };
  const unanswered = user.client.call("agent", "agent.session.set_config", change).catch(() => undefined);
  await user.entry(setting, (entry) => entry.kind === "command" && entry.verb === "agent.session.set_config");
  await killHard(killed);
  await unanswered;

  const second = await startWatched(place);
  await using _ = second.daemon;
  const after = second.user;
  const { sessions } = await after.call<SessionListReply>("agent.session.list", {});
  expect(Object.fromEntries(sessions.map(({ session, state }) => [session, state]))).toEqual({
    [idle]: "lost",
    [speaking]: "lost",
    [silent]: "lost",
    [asking]: "lost",
    [setting]: "lost",
    [starting]: "failed",
  });
  expect((await after.call<SessionListReply>("agent.session.list", { state: "running" })).sessions).toEqual([]);
  const ends = async (session: string) =>
    ofKind(await after.log(session), "turn").filter(({ phase }) => phase === "ended");
  expect(await ends(speaking)).toMatchObject([
    { turn: 1, stop_reason: "interrupted", sent: true },
    { turn: behind, stop_reason: "interrupted", sent: false },
  ]);
  expect(await ends(silent)).toMatchObject([{ stop_reason: "interrupted", sent: "unknown" }]);
  expect(await ends(starting)).toMatchObject([{ stop_reason: "interrupted", sent: false }]);
  expect(ofKind(await after.log(speaking), "tool_call").at(-1)).toMatchObject({
    tool_call_id: "open",
    status: "failed",
    closed_by: "agentd",
  });
  const interrupted = await after.refusal("agent.session.set_config", change);
  expect(interrupted).toMatchObject({ code: "AGENT_INTERRUPTED", body: { command_id: "set" } });
  for (const { session } of sessions) expect(withoutGap(await after.log(session))).toBe(true);
  for (const session of [idle, speaking, starting]) {
    const refused = await after.refusal("agent.session.prompt", { session, prompt: "still there?" });
    expect(refused.code).toBe("SESSION_STATE");
    expect(refused.body["message"]).toMatch(/lost|failed/);
  }
  // The old agents left when their pipes closed; agentd alone lives.
  await expect.poll(() => livingIn(place).map(({ pid }) => pid)).toEqual([second.daemon.child.pid]);
});

test("a question that was open when agentd died is closed with that reason, and an answer is told so (case 101)", async () => {
  using cast = makeCast({ scripted: versatile });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const session = await first.user.start({ agent: "scripted", cwd: place.directory(), prompt: "ask" });
  const { request } = await question(first.user, session);
  await killHard(killed);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  expect(ofKind(await user.log(session), "permission").at(-1)).toMatchObject({
    request,
    phase: "resolved",
    outcome: "cancelled",
    via: "restart",
    by: null,
  });
  expect(await user.call("agent.permission.list", {})).toMatchObject({ requests: [] });
  const late = await user.refusal("agent.permission.answer", { session, request, option: "allow" });
  expect(late.code).toBe("REQUEST_CLOSED");
});

test("a reply given before kill -9 is given again afterwards, byte for byte, and nothing runs twice", async () => {
  using cast = makeCast({ scripted: versatile });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const start = { agent: "scripted", cwd: place.directory(), command_id: "start" };
  const call = async (user: BusUser, verb: string, args: object): Promise<string> =>
    (await user.client.call("agent", verb, args)).body;
  const started = await call(first.user, "agent.session.start", start);
  const { session } = JSON.parse(started) as { session: string };
  await first.user.wait(session, "idle");
  const prompt = { session, prompt: "silent", command_id: "prompt" };
  const prompted = await call(first.user, "agent.session.prompt", prompt);
  await killHard(killed);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const before = (await user.log(session)).length;
  expect(await call(user, "agent.session.start", start)).toBe(started);
  expect(await call(user, "agent.session.prompt", prompt)).toBe(prompted);
  expect((await user.refusal("agent.session.prompt", { ...prompt, prompt: "other" })).code).toBe("COMMAND_CONFLICT");
  expect((await user.log(session)).length).toBe(before);
  expect((await user.call<SessionListReply>("agent.session.list", {})).sessions).toHaveLength(1);
});

test("a session that somebody closed stays closed over a crash and a restart, and nothing is started (case 56)", async () => {
  using cast = makeCast({ scripted: versatile });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const session = await first.user.start({ agent: "scripted", cwd: place.directory() });
  await first.user.wait(session, "idle");
  await first.user.call("agent.session.close", { session });
  await stateOf(first.user, session, "closed");
  const closed = await first.user.log(session);
  await killHard(killed);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  expect(await user.log(session)).toEqual(closed);
  expect(livingIn(place).map(({ pid }) => pid)).toEqual([daemon.child.pid]);
  expect(
    cast
      .agent()
      .received()
      .filter(({ method }) => method === "initialize"),
  ).toHaveLength(1);
});

test("a cursor of before a restart goes on exactly where it was, and one of another log is refused (case 133)", async () => {
  using cast = makeCast({ scripted: versatile });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const session = await first.user.start({ agent: "scripted", cwd: place.directory(), prompt: "speak" });
  await first.user.entry(session, (entry) => entry.kind === "tool_call");
  const seen = await first.user.log(session);
  const { cursor } = await first.user.get(session);
  await killHard(killed);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const rest = await user.call<{ entries: Entry[] }>("agent.session.log", { session, after: cursor });
  expect([...seen, ...rest.entries]).toEqual(await user.log(session));
  expect(rest.entries.length).toBeGreaterThan(0);
  const foreign = cursor.replace(/^[^/]+/, (log) => log.replace(/./g, "0"));
  expect((await user.refusal("agent.session.log", { session, after: foreign })).code).toBe("CURSOR_UNKNOWN");
});

test.each(["SIGTERM", "SIGINT", "QUIT"] as const)(
  "%s closes every session for that reason, interrupts its turn and leaves no process",
  async (how) => {
    using cast = makeCast({ scripted: versatile });
    const { place } = cast;
    const first = await startWatched(place);
    await using stopped = first.daemon;
    const { user } = first;
    const session = await user.start({ agent: "scripted", cwd: place.directory(), prompt: "speak" });
    await user.entry(session, (entry) => entry.kind === "tool_call");
    await user.prompt(session, "behind it", "queue");
    const other = await user.start({ agent: "scripted", cwd: place.directory() });
    await user.wait(other, "idle");
    if (how === "QUIT") await user.client.call("agent", "QUIT", {});
    else stopped.child.kill(how);
    expect(await within(20_000, "agentd did not end", stopped.exited)).toEqual({ code: 0, signal: null });
    expect(await leftIn(place, 0)).toEqual([]);
    // Whoever watched has seen it all before the Bus went.
    expect(await stateOf(user, session, "closed")).toMatchObject({ reason: "stop" });
    expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "interrupted", sent: true });
    expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "interrupted", sent: false });

    const second = await startWatched(place);
    await using _ = second.daemon;
    for (const id of [session, other]) {
      expect(await second.user.get(id)).toMatchObject({ state: "closed", reason: "stop" });
      const log = await second.user.log(id);
      expect(withoutGap(log)).toBe(true);
      expect(log).toEqual(user.seen.filter((entry) => entry.session === id));
    }
  },
);

test("SIGTERM, sent twice, ends a session that has not come up and one that waits for a person as it should", async () => {
  using cast = makeCast({ scripted: versatile, mute: { rules: [{ on: "initialize", do: [] }] } });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const starting = await user.start({ agent: "mute", cwd: place.directory(), prompt: "later" });
  const asking = await user.start({ agent: "scripted", cwd: place.directory(), prompt: "ask" });
  await question(user, asking);
  for (const signal of ["SIGTERM", "SIGTERM"] as const) daemon.child.kill(signal);
  expect(await within(20_000, "agentd did not end", daemon.exited)).toEqual({ code: 0, signal: null });
  expect(await leftIn(place, 0)).toEqual([]);
  for (const session of [starting, asking])
    expect(await stateOf(user, session, "closed")).toMatchObject({ reason: "stop" });
  expect(await turnEnd(user, starting)).toMatchObject({ stop_reason: "interrupted", sent: false });
  expect(await turnEnd(user, asking)).toMatchObject({ stop_reason: "interrupted", sent: true });
  const answers = ofKind(
    user.seen.filter((entry): entry is Entry => "at" in entry),
    "permission",
  );
  expect(answers.find(({ phase }) => phase === "resolved")).toMatchObject({ outcome: "cancelled", via: "end" });
});

test("an agentd that was stopped by a signal and goes on has its turn, its question and its callers still (case 137)", async () => {
  using cast = makeCast({ scripted: { rules: [{ on: "session/prompt", do: [{ permission: {} }, "default"] }] } });
  const { daemon, user } = await startWatched(cast.place);
  await using _ = daemon;
  const session = await user.start({ agent: "scripted", cwd: cast.place.directory(), prompt: "ask" });
  const { request } = await question(user, session);
  daemon.child.kill("SIGSTOP");
  const answering = user.call("agent.permission.answer", { session, request, option: "allow" });
  const looking = user.get(session);
  daemon.child.kill("SIGCONT");
  expect(await answering).toMatchObject({ outcome: "selected", option: "allow" });
  await looking;
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  expect(withoutGap(await user.log(session))).toBe(true);
});

test("a second agentd of the same state directory is told who runs and ends with code 75", async () => {
  using cast = makeCast({});
  const { daemon } = await startWatched(cast.place);
  await using _ = daemon;
  const second = spawn(process.execPath, [agentdProgram], {
    env: cast.place.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  second.stderr.setEncoding("utf8").on("data", (text: string) => (words += text));
  const [code] = (await within(20_000, "the second agentd did not end", once(second, "close"))) as [number];
  expect(code).toBe(75);
  expect(words).toContain(String(daemon.child.pid));
  expect(words).not.toContain("    at ");
});
