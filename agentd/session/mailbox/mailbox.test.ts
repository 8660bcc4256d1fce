// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Appended } from "../../log/append.ts";
import type { Log } from "../../log/open.ts";
import { noFailpoint } from "../../failpoint.ts";
import { ManualClock } from "../../../bus-client/testing/manual-clock.ts";
import { temporaryLog } from "../../testing/temporary-log.ts";
import type { Verb, VerbArguments } from "../../vocabulary/index.ts";
import { stateFromLog } from "../from-log.ts";
import type { Command, Effect, SessionCommand, SessionInput } from "../core/input.ts";
import { corePorts } from "../core-ports.ts";
import { LiveSessions } from "../live-sessions.ts";
import type { Decided } from "./decide-batch.ts";
import { Mailbox } from "./mailbox.ts";
import type { SentReply, StartInput } from "./posted-input.ts";
import { option, testIdentity, testSettings } from "../core/testing/session-script.ts";

/** Sets up a mailbox over a real log and records everything that leaves it, in order. */
function setUp(log: Log, maxSessions = 8) {
  const clock = new ManualClock();
  const events: string[] = [];
  const replies: SentReply[] = [];
  const appended: Appended[] = [];
  const retries: (() => void)[] = [];
  const taps: ((decided: readonly Decided[]) => void)[] = [];
  const faults: unknown[] = [];
  const sessions = new LiveSessions((session) => stateFromLog(log, session));
  const mailbox = new Mailbox({
    log,
    sessions,
    limits: {
      entriesPerCommitMax: 256,
      commitBytesMax: 1024 * 1024,
      inputsWaitingMax: 512,
      storeRetryMs: 1,
      storeFailedGraceMs: 10_000,
    },
    failpoint: noFailpoint,
    after(_ms, run) {
      retries.push(run);
      return () => {};
    },
  });
  mailbox.start({
    context: () => ({
      now: clock.now(),
      settings: { ...testSettings, maxSessions },
      limits: testSettings,
      people: "off",
      ports: corePorts,
    }),
    pressure: (high) => events.push(high ? "too much waits" : "pipes flow again"),
    endUnlogged: (session) => events.push(`end ${session ?? "all"} unlogged`),
    onCommitted: (decided) => taps.forEach((tap) => tap(decided)),
    onError: (error) => faults.push(error),
    reply(reply) {
      replies.push(reply);
      events.push(`reply ${reply.caller}`);
    },
    act(session, effects: readonly Effect[]) {
      for (const effect of effects)
        events.push(`${effect.type} ${session} with ${log.entries.lastSeq(session) ?? 0} logged`);
    },
    publish(published) {
      appended.push(...published);
      for (const { session, seq } of published) events.push(`publish ${session} ${seq}`);
    },
    storeState: (error) => events.push(error ? "the log fails" : "the log works"),
  });
  let caller = 0;
  const command = <V extends Verb>(verb: V, args: VerbArguments<V>): Command<V> => {
    caller += 1;
    return { verb, args, by: "tester", origin: "local", caller, redactedArgs: {} };
  };
  const start = (id: string, more: Partial<VerbArguments<"agent.session.start">> = {}, by = "tester"): void => {
    const args = { agent: "test", cwd: "/work", additional_dirs: [], config: {}, mcp_servers: [], env: [], ...more };
    const session = {
      id,
      agent: "test",
      ...(more.name === undefined ? {} : { name: more.name }),
      cwd: "/work",
      additionalDirs: [],
      env: [],
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    const input: StartInput = { type: "start", command: { ...command("agent.session.start", args), by }, session };
    mailbox.post(id, input);
  };
  const post = <V extends SessionCommand["verb"]>(session: string, verb: V, args: VerbArguments<V>): void => {
    mailbox.post(session, { type: "command", command: command(verb, args) as unknown as SessionCommand });
  };
  const up = (session: string): void => {
    mailbox.post(session, { type: "opened", identity: testIdentity, opened: { sessionId: "its-own", options: [] } });
  };
  const said = (session: string): void => {
    mailbox.post(session, fault("noise"));
  };
  const bodies = (): Record<string, unknown>[] =>
    replies.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  const asks = (session: string): void => {
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
    const toolCall = { toolCallId: "t", title: "May it?" };
    mailbox.post(session, { type: "agent", event: { type: "permission", request: 1, toolCall, options } });
  };
  return {
    clock,
    asks,
    mailbox,
    sessions,
    events,
    replies,
    bodies,
    appended,
    retries,
    taps,
    faults,
    command,
    start,
    post,
    up,
    said,
  };
}

function fault(message: string): SessionInput {
  return { type: "agent", event: { type: "fault", fault: "noise", message, count: 1 } };
}

function chunk(text: string): SessionInput {
  const content = { type: "text", text };
  return {
    type: "agent",
    event: { type: "update", update: { kind: "message", role: "agent", append: true, content } },
  };
}

test("the entries are in the log before the effect runs, and the effect runs before anything is published", () => {
  using temporary = temporaryLog();
  const { mailbox, events, start } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  expect(events).toEqual(["reply 1", "launch aaaaaaaaaaaa with 3 logged", "publish aaaaaaaaaaaa 3"]);
});

test.each([
  ["answers", true],
  ["looks", false],
])("a request that expired while the machine slept is closed for a caller that %s, and never allowed", (_, answers) => {
  using temporary = temporaryLog();
  const { clock, mailbox, sessions, bodies, appended, start, up, asks, post } = setUp(temporary.log);
  const session = "aaaaaaaaaaaa";
  start(session);
  up(session);
  asks(session);
  mailbox.flush();
  mailbox.endOverdue();
  expect(sessions.get(session)?.requests).toHaveLength(1);
  clock.shift(testSettings.permissionTimeoutMs ?? 0);
  if (answers) {
    post(session, "agent.permission.answer", { session, request: `${session}-1`, option: "allow_once" });
    mailbox.flush();
    expect(bodies().at(-1)).toMatchObject({ error_code: "REQUEST_CLOSED", via: "timeout", option: "reject_once" });
  } else mailbox.endOverdue();
  expect(sessions.get(session)?.requests).toEqual([]);
  expect(temporary.log.sessions.row(session)?.state).toBe("idle");
  const entries = temporary.log.entries.page({ session, kinds: ["permission"] }).entries;
  expect(entries.map((text) => JSON.parse(text) as object)).toMatchObject([
    { phase: "requested" },
    { phase: "resolved", option: "reject_once", via: "timeout" },
  ]);
  expect(appended.length).toBeGreaterThan(0);
});

test("each input of a flush is decided on the state before it: the second start of a name is refused", () => {
  using temporary = temporaryLog();
  const { mailbox, bodies, start } = setUp(temporary.log);
  start("aaaaaaaaaaaa", { name: "twin" });
  start("bbbbbbbbbbbb", { name: "twin" });
  mailbox.flush();
  expect(bodies().find(({ error_code }) => error_code !== undefined)).toMatchObject({
    error_code: "ARGUMENT",
    field: "name",
  });
  expect(temporary.log.sessions.row("bbbbbbbbbbbb")).toBeUndefined();
});

test("a session above the limit is refused, even within one flush", () => {
  using temporary = temporaryLog();
  const { mailbox, bodies, start } = setUp(temporary.log, 2);
  for (const id of ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"]) start(id);
  mailbox.flush();
  expect(bodies().filter(({ error_code }) => error_code === "AGENT_LIMIT")).toHaveLength(1);
});

test("a start at the limit closes the idle session that its editors have left for longest, if there is one", () => {
  using temporary = temporaryLog();
  const { mailbox, clock, sessions, bodies, appended, start, up } = setUp(temporary.log, 3);
  const [first, second, attended] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"] as const;
  for (const id of [first, second, attended]) {
    start(id);
    up(id);
  }
  for (const id of [second, first]) {
    mailbox.post(id, { type: "editor_left", citizen: "acp-abc", cancelsTurns: true, isLast: true });
    mailbox.flush();
    clock.advance(60_000);
  }
  const agent = `mcp-s-${attended}-aaaa`;
  start("dddddddddddd", {}, agent);
  start("dddddddddddd", { name: attended });
  mailbox.flush();
  expect(bodies().slice(-2)).toMatchObject([{ error_code: "AGENT_LIMIT" }, { error_code: "ARGUMENT" }]);
  for (const id of ["eeeeeeeeeeee", "ffffffffffff", "gggggggggggg"]) start(id);
  mailbox.flush();
  expect(bodies().slice(-3)).toMatchObject([
    { error_code: "AGENT_LIMIT" },
    { session: "eeeeeeeeeeee", state: "starting" },
    { session: "ffffffffffff", state: "starting" },
  ]);
  const reasons = appended.flatMap(({ bodies: texts }) => /its editor acp-abc left[^"]*/u.exec(texts.join()) ?? []);
  expect(reasons).toEqual([
    "its editor acp-abc left 2 minutes ago, and a new session needs its place",
    "its editor acp-abc left 1 minute ago, and a new session needs its place",
  ]);
  expect([first, second, attended].map((id) => sessions.get(id)?.run.phase)).toEqual(["closing", "closing", "idle"]);
});

test("an input of the next turn of the event loop joins the commit, which follows the first turn without input", async () => {
  using temporary = temporaryLog();
  const { mailbox, start, said } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  const before = temporary.log.entries.lastSeq("aaaaaaaaaaaa") ?? 0;
  said("aaaaaaaaaaaa");
  await setImmediate();
  said("aaaaaaaaaaaa");
  await setImmediate();
  expect(temporary.log.entries.lastSeq("aaaaaaaaaaaa")).toBe(before);
  await setImmediate();
  expect(temporary.log.entries.lastSeq("aaaaaaaaaaaa")).toBe(before + 2);
});

test("an agent that sends in every turn of the event loop does not delay the commit", async () => {
  using temporary = temporaryLog();
  const { mailbox, start, said } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  const before = temporary.log.entries.lastSeq("aaaaaaaaaaaa") ?? 0;
  for (let turn = 0; turn < 8; turn += 1) {
    said("aaaaaaaaaaaa");
    await setImmediate();
  }
  expect(temporary.log.entries.lastSeq("aaaaaaaaaaaa")).toBeGreaterThan(before);
  mailbox.stop();
});

/** Counts the commits of each turn of the event loop until nothing waits. */
async function commitsByTurn(appended: readonly Appended[], entries: number): Promise<number[]> {
  const counts: number[] = [];
  const sum = (): number => appended.reduce((all, { bodies }) => all + bodies.length, 0);
  for (let turn = 0; turn < 1000 && sum() < entries; turn += 1) {
    const before = sum();
    await setImmediate();
    counts.push(sum() - before);
  }
  return counts.filter((count) => count > 0);
}

test("the event loop has a turn between two commits, and every input is committed in order", async () => {
  using temporary = temporaryLog();
  const { mailbox, appended, start } = setUp(temporary.log);
  const sessions = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"];
  for (const id of sessions) start(id);
  mailbox.flush();
  appended.length = 0;
  for (let number = 0; number < 400; number += 1) for (const id of sessions) mailbox.post(id, fault(`${number}`));
  expect(await commitsByTurn(appended, 1200)).toEqual([256, 256, 256, 256, 176]);
  for (const id of sessions) {
    const bodies = appended.filter(({ session }) => session === id).flatMap((one) => one.bodies.map(String));
    expect(bodies.map((body) => Number((JSON.parse(body) as { message: string }).message))).toEqual(
      Array.from({ length: 400 }, (_, number) => number),
    );
  }
});

test("a commit ends at about a megabyte, however few inputs it has", async () => {
  using temporary = temporaryLog();
  const { mailbox, appended, start } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  appended.length = 0;
  for (let number = 0; number < 10; number += 1) mailbox.post("aaaaaaaaaaaa", chunk("z".repeat(400_000)));
  expect(await commitsByTurn(appended, 10)).toEqual([3, 3, 3, 1]);
});

test("agents are paused above the limit of waiting inputs, until half of them are committed", async () => {
  using temporary = temporaryLog();
  const { mailbox, events, appended, start, said } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  appended.length = 0;
  const told = (): string[] => events.filter((event) => event.includes("too much") || event.includes("flow"));
  for (let number = 0; number < 512; number += 1) said("aaaaaaaaaaaa");
  expect(told()).toEqual([]);
  said("aaaaaaaaaaaa");
  expect(told()).toEqual(["too much waits"]);
  await commitsByTurn(appended, 256);
  expect(told()).toEqual(["too much waits"]);
  await commitsByTurn(appended, 513);
  expect(told()).toEqual(["too much waits", "pipes flow again"]);
});

test("a command id that comes twice in one flush runs once, and both callers get the same reply", () => {
  using temporary = temporaryLog();
  const { mailbox, replies, events, start } = setUp(temporary.log);
  start("aaaaaaaaaaaa", { command_id: "once" });
  start("bbbbbbbbbbbb", { command_id: "once" });
  mailbox.flush();
  expect(replies).toHaveLength(2);
  expect(replies[0]?.body).toBe(replies[1]?.body);
  expect(events.filter((event) => event.startsWith("launch"))).toHaveLength(1);
});

test("a repeat of a command in flight waits for the reply of the first", () => {
  using temporary = temporaryLog();
  const { mailbox, replies, start, post } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  const options = [
    { option: "mode", name: "mode", type: "select" as const, value: "a", choices: [{ value: "a", name: "a" }] },
  ];
  mailbox.post("aaaaaaaaaaaa", { type: "opened", identity: testIdentity, opened: { sessionId: "s", options } });
  mailbox.flush();
  const args = { session: "aaaaaaaaaaaa", option: "mode", value: "a", command_id: "set" };
  post("aaaaaaaaaaaa", "agent.session.set_config", args);
  mailbox.flush();
  post("aaaaaaaaaaaa", "agent.session.set_config", args);
  mailbox.flush();
  expect(replies).toHaveLength(1);
  const { seq } = temporary.log.receipts.find("aaaaaaaaaaaa", "set") ?? { seq: 0 };
  mailbox.post("aaaaaaaaaaaa", { type: "option_set", seq, option: "mode", outcome: { ok: true, value: { options } } });
  mailbox.flush();
  expect(replies).toHaveLength(3);
  expect(replies[1]?.body).toBe(replies[2]?.body);
});

test("the same command id with other arguments is a conflict and runs nothing", () => {
  using temporary = temporaryLog();
  const { mailbox, bodies, events, start } = setUp(temporary.log);
  start("aaaaaaaaaaaa", { command_id: "once" });
  mailbox.flush();
  start("bbbbbbbbbbbb", { command_id: "once", cwd: "/elsewhere" });
  mailbox.flush();
  expect(bodies()[1]).toMatchObject({ error_code: "COMMAND_CONFLICT", command_id: "once" });
  expect(events.filter((event) => event.startsWith("launch"))).toHaveLength(1);
});

test("a refused command leaves its id free", () => {
  using temporary = temporaryLog();
  const { mailbox, bodies, start, post, up } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  up("aaaaaaaaaaaa");
  const prompt = (command_id: string): void =>
    post("aaaaaaaaaaaa", "agent.session.prompt", {
      session: "aaaaaaaaaaaa",
      prompt: "p",
      when_busy: "refuse",
      command_id,
    });
  prompt("first");
  prompt("second");
  mailbox.flush();
  expect(bodies().some(({ error_code }) => error_code === "AGENT_BUSY")).toBe(true);
  mailbox.post("aaaaaaaaaaaa", {
    type: "prompt_done",
    turn: 1,
    outcome: { ok: true, value: { stopReason: "end_turn" } },
  });
  prompt("second");
  mailbox.flush();
  expect(bodies().at(-1)).toMatchObject({ turn: 2, command_id: "second" });
});

test("each committed batch is told once, with its decisions in order, after everything else that it causes", () => {
  using temporary = temporaryLog();
  const { mailbox, sessions, events, taps, start, said } = setUp(temporary.log, 1);
  sessions.onChange(({ id }) => events.push(`changed ${id}`));
  taps.push((decided) => events.push(`told ${decided.map(({ posted }) => posted.input.type).join(" ")}`));
  start("aaaaaaaaaaaa");
  said("aaaaaaaaaaaa");
  mailbox.flush();
  expect(events.slice(-3)).toEqual(["publish aaaaaaaaaaaa 4", "changed aaaaaaaaaaaa", "told start agent"]);
  const count = events.length;
  start("bbbbbbbbbbbb");
  mailbox.flush();
  expect(events.slice(count), "a refusal commits nothing").toEqual(["reply 2"]);
});

test("a batch that cannot be committed is not told", () => {
  using temporary = temporaryLog({ pageCountMax: 50 });
  const { mailbox, taps, start } = setUp(temporary.log);
  let told = 0;
  taps.push(() => (told += 1));
  start("aaaaaaaaaaaa");
  mailbox.flush();
  mailbox.post("aaaaaaaaaaaa", chunk("z".repeat(400_000)));
  mailbox.flush();
  expect([mailbox.failed, told]).toEqual([true, 1]);
});

test("an error of whoever is told of commits is reported, and hinders neither this batch nor the next", () => {
  using temporary = temporaryLog();
  const { mailbox, appended, faults, taps, start, said } = setUp(temporary.log);
  const broken = new Error("cannot count");
  taps.push(() => {
    throw broken;
  });
  start("aaaaaaaaaaaa");
  mailbox.flush();
  said("aaaaaaaaaaaa");
  mailbox.flush();
  expect(faults).toEqual([broken, broken]);
  expect(appended.map(({ seq }) => seq)).toEqual([3, 4]);
});

test("while the log cannot be written nothing runs, callers are told, and what agents said is kept", () => {
  using temporary = temporaryLog({ pageCountMax: 50 });
  const { log } = temporary;
  const { mailbox, events, bodies, retries, sessions, start, post, up } = setUp(log);
  start("aaaaaaaaaaaa");
  up("aaaaaaaaaaaa");
  mailbox.flush();
  const seq = log.entries.lastSeq("aaaaaaaaaaaa");
  mailbox.post("aaaaaaaaaaaa", chunk("z".repeat(400_000)));
  post("aaaaaaaaaaaa", "agent.session.prompt", { session: "aaaaaaaaaaaa", prompt: "p", when_busy: "refuse" });
  mailbox.flush();
  expect(bodies().at(-1)).toMatchObject({ error_code: "STORE_FAILED" });
  expect(events.at(-1)).toBe("the log fails");
  expect(events.some((event) => event.startsWith("prompt"))).toBe(false);
  expect(log.entries.lastSeq("aaaaaaaaaaaa")).toBe(seq);
  expect(sessions.get("aaaaaaaaaaaa")?.seq).toBe(seq);
  expect(retries).toHaveLength(2);
});

test("a command repeated in a flush that cannot be written is refused to both callers, and its id stays free", () => {
  using temporary = temporaryLog({ pageCountMax: 50 });
  const { mailbox, bodies, start } = setUp(temporary.log);
  for (const id of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) start(id, { command_id: "once", prompt: "z".repeat(400_000) });
  mailbox.flush();
  expect(bodies().map(({ error_code }) => error_code)).toEqual(["STORE_FAILED", "STORE_FAILED"]);
  start("cccccccccccc", { command_id: "once" });
  mailbox.flush();
  expect(bodies().at(-1)).toMatchObject({ session: "cccccccccccc", state: "starting" });
});

test("a caller that repeats a command in flight waits while the log cannot be written, and is told once", () => {
  using temporary = temporaryLog({ pageCountMax: 50 });
  const { mailbox, replies, bodies, sessions, start, post } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  const options = [option("mode", "a", "b")];
  mailbox.post("aaaaaaaaaaaa", { type: "opened", identity: testIdentity, opened: { sessionId: "its-own", options } });
  const set = (): void =>
    post("aaaaaaaaaaaa", "agent.session.set_config", {
      session: "aaaaaaaaaaaa",
      option: "mode",
      value: "b",
      command_id: "set",
    });
  set();
  mailbox.flush();
  set();
  const prompt = "z".repeat(400_000);
  post("aaaaaaaaaaaa", "agent.session.prompt", { session: "aaaaaaaaaaaa", prompt, when_busy: "refuse" });
  mailbox.flush();
  expect(bodies().at(-1)).toMatchObject({ error_code: "STORE_FAILED" });
  expect(replies).toHaveLength(2);
  const seq = sessions.get("aaaaaaaaaaaa")?.pending[0]?.seq ?? null;
  const outcome = { ok: true, value: { options } } as const;
  mailbox.post("aaaaaaaaaaaa", { type: "option_set", seq, option: "mode", outcome });
  mailbox.flush();
  expect(replies.slice(2).map(({ body }) => body)).toEqual([replies[2]?.body, replies[2]?.body]);
});

test("cancel and close end the agent even while nothing can be logged, and the reply says so", () => {
  using temporary = temporaryLog({ pageCountMax: 50 });
  const { mailbox, events, bodies, start, post, up } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  up("aaaaaaaaaaaa");
  mailbox.flush();
  const content = { type: "text", text: "z".repeat(400_000) };
  const update = { kind: "message", role: "agent", append: true, content } as const;
  mailbox.post("aaaaaaaaaaaa", { type: "agent", event: { type: "update", update } });
  post("aaaaaaaaaaaa", "agent.session.cancel", { session: "aaaaaaaaaaaa" });
  mailbox.flush();
  expect(bodies().at(-1)).toMatchObject({ error_code: "STORE_FAILED", reason: "full", stopped: true });
  expect(events).toContain("end aaaaaaaaaaaa unlogged");
});

test("output of an agent of an earlier run does not affect the resumed session", () => {
  using temporary = temporaryLog();
  const { mailbox, sessions, start, command } = setUp(temporary.log);
  start("aaaaaaaaaaaa");
  mailbox.flush();
  const runSeq = sessions.get("aaaaaaaaaaaa")?.runSeq ?? 0;
  const exited = { type: "exited", exit: { code: 1, signal: null }, stderrTail: "" } as const;
  mailbox.post("aaaaaaaaaaaa", { type: "agent", event: exited }, runSeq);
  const resume = command("agent.session.resume", { session: "aaaaaaaaaaaa", fresh: false });
  mailbox.post("aaaaaaaaaaaa", {
    type: "resume",
    command: resume,
    directories: { cwd: "/moved", additionalDirs: [] },
  });
  const failure = { code: "AGENT_PROTOCOL", message: "it did not answer" } as const;
  mailbox.post("aaaaaaaaaaaa", { type: "open_failed", failure }, runSeq);
  mailbox.post("aaaaaaaaaaaa", { type: "agent", event: exited }, runSeq);
  mailbox.post("aaaaaaaaaaaa", { type: "stopped" }, runSeq);
  mailbox.flush();
  expect(sessions.get("aaaaaaaaaaaa")?.run.phase).toBe("starting");
});
