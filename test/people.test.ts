// SPDX-License-Identifier: MIT OR Apache-2.0
// People who are asked: a real agentd, the built notifyd, a scripted agent, and somebody with `mix notify`.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished, expect, test } from "vitest";
import type { BusClient } from "../bus-client/index.ts";
import type { JsonObject, Step } from "./scripted-agent/scenario.ts";
import type { FailpointName } from "../agentd/failpoint.ts";
import type { Entry, NotifyAsk } from "../agentd/vocabulary/index.ts";
import {
  type Cast,
  type EntryOf,
  makeCast,
  ofKind,
  openScene,
  question,
  type Scene,
  stateOf,
  turnEnd,
} from "./cases/scene.ts";
import { startMortalDaemon } from "./crash/mortal-daemon.ts";
import { stubborn } from "./crash/acts.ts";
import { BusUser, Refused } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { callNotify, notifyRefusal, NotifyRefused } from "./harness/notify-user.ts";
import { startNotifydProcess } from "./harness/notifyd-process.ts";
import type { Place } from "./harness/place.ts";
import { openStandingBus, type StandingBus } from "./harness/standing-bus.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const asks = {
  scripted: { rules: [{ on: "session/prompt", do: [{ permission: {} } as Step, endTurn] }] },
};

test("what an agent asks is answered by `mix notify answer`: the agent gets that option, and the log shows whose it is", async () => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const asked = await askedIn(scene);
  expect(asked.question.notified).toBe(true);
  expect(asked.ask).toMatchObject({ source: "agent", label: `agentd/${scene.daemon.daemon.log.id}` });
  expect(asked.ask.title).toMatch(/^scripted \(/);
  const mix = await runMix(scene.place, "notify", "answer", asked.ask.ask, asked.yes);
  expect(mix.code).toBe(0);
  await turnEnd(scene.user, asked.session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: asked.yes }]);
  const [resolved] = resolutions(await scene.user.log(asked.session));
  expect(resolved).toMatchObject({ option: asked.yes, via: "notify", by: expect.stringMatching(/^mix-/) });
  await settled(scene.user.client);
});

test("a question that is answered elsewhere is taken back, and notify refuses who comes late", async () => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const {
    session,
    question: { request },
    ask,
    yes,
  } = await askedIn(scene);
  await scene.user.call("agent.permission.answer", { session, request, option: yes });
  expect(await ended(scene.user.client, ask.ask)).toMatchObject({
    state: "withdrawn",
    reason: "answered",
    noted: true,
  });
  const person = await scene.daemon.connect("mix-aaaaaa");
  expect((await notifyRefusal(person, "answer", { ask: ask.ask, option: yes })).code).toBe("REQUEST_CLOSED");
});

test("a notifyd that dies and comes back while a question is open has it once, and its answer counts", async () => {
  await using scene = await openScene(asks);
  const first = await startNotifydProcess(scene.place.environment);
  const { session, ask, yes } = await askedIn(scene);
  first.child.kill("SIGKILL");
  await first.exited;
  await using _again = await startNotifydProcess(scene.place.environment);
  const person = await scene.daemon.connect("mix-aaaaaa");
  expect((await callNotify(person, "list", {})).asks.map((one) => one.ask)).toEqual([ask.ask]);
  await callNotify(person, "answer", { ask: ask.ask, option: yes });
  await turnEnd(scene.user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: yes }]);
  expect((await callNotify(person, "list", {})).asks).toHaveLength(1);
});

test("a notifyd that is started while a question is open is asked then", async () => {
  await using scene = await openScene(asks);
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  const { request, notified } = await question(scene.user, session);
  expect(notified).toBe(false);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const ask = await openAsk(scene.user.client, request);
  await callNotify(await scene.daemon.connect("mix-aaaaaa"), "answer", {
    ask: ask.ask,
    option: optionOf(ask, "reject_once"),
  });
  await turnEnd(scene.user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: optionOf(ask, "reject_once") }]);
});

test("forged hints and citizens change nothing, and the agent's own program cannot answer at notify", async () => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const {
    session,
    question: { request },
    ask,
    yes,
  } = await askedIn(scene);
  const own = await scene.daemon.connect(`mcp-s-${session}-wxyz`);
  for (const topic of ["notify.answered", "notify.asked"]) {
    const body = { ask: ask.ask, ref: request, state: "answered", answer: { option: yes, by: "mix-aaaaaa" } };
    await own.publishAndConfirm(topic, JSON.stringify(body));
  }
  expect((await notifyRefusal(own, "answer", { ask: ask.ask, option: yes })).code).toBe("AGENT_SELF");
  expect((await notifyRefusal(own, "withdraw", { ask: ask.ask, reason: "x" })).code).toBe("NOT_YOURS");
  await expect(scene.daemon.connect("notify").then(async (taken) => await taken.stop())).rejects.toThrow("name");
  expect((await scene.user.get(session)).state).toBe("waiting");
  expect(resolutions(await scene.user.log(session))).toEqual([]);
  await scene.user.call("agent.session.cancel", { session });
});

test("of an answer by notify and one by permit in the same moment one wins, and the log is the frame that was sent", async () => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const person = await scene.daemon.connect("mix-aaaaaa");
  const session = await scene.idle();
  for (let round = 1; round <= 12; round += 1) {
    await scene.user.prompt(session, "go");
    const { request } = await question(scene.user, session, round);
    const ask = await openAsk(person, request);
    const [yes, no] = [optionOf(ask, "allow_once"), optionOf(ask, "reject_once")];
    const given = [
      () => callNotify(person, "answer", { ask: ask.ask, option: yes }),
      () => scene.user.call("agent.permission.answer", { session, request, option: no }),
    ];
    if (round % 2 === 0) given.reverse();
    const results = await Promise.allSettled(given.map((give) => give()));
    for (const result of results) {
      if (result.status === "rejected") expect(codeOf(result.reason)).toBe("REQUEST_CLOSED");
    }
    await turnEnd(scene.user, session, round);
  }
  await settled(person);
  const entries = await scene.user.log(session);
  const resolved = resolutions(entries);
  expect(resolved).toHaveLength(12);
  expect(outcomes(scene)).toEqual(resolved.map(({ option }) => ({ outcome: "selected", optionId: option })));
  // Whoever was told by notify that the answer counts, and was not first here, is not left in that belief.
  const { asks: all } = await callNotify(person, "list", { state: "answered" });
  const unused = all.filter(({ ref }) => resolved.find(({ request }) => request === ref)?.via !== "notify");
  const told = ofKind(entries, "diagnostic").filter(({ what }) => what === "answer-unused");
  expect(new Set(told.map(({ request }) => request))).toEqual(new Set(unused.map(({ ref }) => ref)));
  expect(told).toHaveLength(unused.length);
});

test("an answer that crosses a cancel is used or said to be unused, and never both", async () => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const person = await scene.daemon.connect("mix-aaaaaa");
  const session = await scene.idle();
  for (let round = 1; round <= 12; round += 1) {
    await scene.user.prompt(session, "go");
    const { request } = await question(scene.user, session, round);
    const ask = await openAsk(person, request);
    const both = [
      () => callNotify(person, "answer", { ask: ask.ask, option: optionOf(ask, "allow_once") }),
      () => scene.user.call("agent.session.cancel", { session }),
    ];
    if (round % 2 === 0) both.reverse();
    await Promise.allSettled(both.map((give) => give()));
    await turnEnd(scene.user, session, round);
  }
  await settled(person);
  const entries = await scene.user.log(session);
  const { asks: all } = await callNotify(person, "list", {});
  for (const resolved of resolutions(entries)) {
    const { state } = all.find(({ ref }) => ref === resolved.request) ?? {};
    const unused = ofKind(entries, "diagnostic").filter(({ request }) => request === resolved.request).length;
    if (resolved.via === "notify") expect([state, unused]).toEqual(["answered", 0]);
    else expect([resolved.outcome, unused]).toEqual(["cancelled", state === "answered" ? 1 : 0]);
  }
});

test("an address is accepted at notify and a form only declined, and the agent is told so", async () => {
  const elicit = (params: JsonObject): Step => ({
    request: "elicitation/create",
    params: { sessionId: "$sessionId", ...params },
  });
  const address = { mode: "url", message: "Log in", elicitationId: "e1", url: "https://login.example/" };
  const form = {
    mode: "form",
    message: "Who?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [elicit(address), elicit(form), endTurn] }] },
  });
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const person = await scene.daemon.connect("mix-aaaaaa");
  const session = await scene.idle();
  await noticed(scene);
  await scene.user.prompt(session, "go");
  const opened = await openAsk(person, `${session}-1`);
  expect(opened.body).toContain("https://login.example/");
  await callNotify(person, "answer", { ask: opened.ask, option: "accept" });
  const filled = await openAsk(person, `${session}-2`);
  expect((await notifyRefusal(person, "answer", { ask: filled.ask, option: "accept" })).code).toBe("OPTION_UNKNOWN");
  await callNotify(person, "answer", { ask: filled.ask, option: "decline" });
  await turnEnd(scene.user, session);
  const told = ofKind(await scene.user.log(session), "elicitation").filter(({ phase }) => phase === "resolved");
  expect(told).toMatchObject([
    { outcome: "accept", via: "notify", by: "mix-aaaaaa" },
    { outcome: "decline", via: "notify", by: "mix-aaaaaa" },
  ]);
  await settled(person);
});

test("the time that is over is no yes: the agent is told no, and people are not asked any more", async () => {
  await using scene = await openScene(asks, { settings: 'permission_timeout = "400ms"' });
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const { session, ask } = await askedIn(scene);
  await turnEnd(scene.user, session);
  expect(outcomes(scene)).toEqual([{ outcome: "selected", optionId: optionOf(ask, "reject_once") }]);
  const end = await ended(scene.user.client, ask.ask);
  expect(["expired", "withdrawn"]).toContain(end.state);
  await settled(scene.user.client);
});

test.each([
  [
    "the agent's own death",
    "end",
    async ({ user }: Scene, session: string) => {
      const pid = ofKind(await user.log(session), "state").find((entry) => entry.process !== undefined)?.process?.pid;
      if (pid === undefined) throw new Error("no process of the agent is in the log");
      process.kill(pid, "SIGKILL");
      await stateOf(user, session, "lost");
    },
  ],
  [
    "a close",
    "end",
    async ({ user }: Scene, session: string) => {
      await user.call("agent.session.close", { session });
    },
  ],
  [
    "a cancel",
    "cancel",
    async ({ user }: Scene, session: string) => {
      await user.call("agent.session.cancel", { session });
    },
  ],
] as const)("%s takes back what people are asked", async (_, reason, end) => {
  await using scene = await openScene(asks);
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const { session, ask } = await askedIn(scene);
  await end(scene, session);
  expect(await ended(scene.user.client, ask.ask)).toMatchObject({ state: "withdrawn", reason });
  expect(resolutions(await scene.user.log(session))).toHaveLength(1);
});

test("an agentd that stops takes back what people are asked; one that is killed leaves that to the next", async () => {
  const { cast, connect } = await standing();
  const watching = await connect();
  await using _notifyd = await startNotifydProcess(cast.place.environment);
  const asking = async (client: BusClient) => {
    const user = await BusUser.watching(client);
    const session = await user.start({ agent: "scripted", cwd: cast.place.directory(), prompt: "ask" });
    return await openAsk(watching, (await question(user, session)).request);
  };
  let first: NotifyAsk;
  {
    await using daemon = await startDaemonHere(cast.place);
    first = await asking(await daemon.connect());
  }
  expect(await callNotify(watching, "get", { ask: first.ask })).toMatchObject({ state: "withdrawn", reason: "end" });
  let second: NotifyAsk;
  {
    await using daemon = await startMortalDaemon(cast.place, {});
    second = await asking(await daemon.connect());
  }
  expect(await callNotify(watching, "get", { ask: second.ask })).toMatchObject({ state: "open" });
  await using _daemon = await startDaemonHere(cast.place);
  expect(await ended(watching, second.ask)).toMatchObject({ state: "withdrawn", reason: "restart" });
});

/** Where agentd dies over a person's yes, and what the log has of it after that. */
test.each<readonly [FailpointName, boolean]>([
  ["log.before", false],
  ["commit.before", false],
  ["log.after", true],
  ["frame_to_agent.before", true],
  ["frame_to_agent.after", true],
])(
  "killed at %s with a person's yes in hand, agentd neither uses it twice nor loses it in silence",
  { tags: "slow" },
  async (point, isLogged) => {
    const { cast, connect } = await standing();
    const person = await connect("mix-aaaaaa");
    await using _notifyd = await startNotifydProcess(cast.place.environment);
    let session: string;
    let ask: NotifyAsk;
    {
      await using daemon = await startMortalDaemon(cast.place, {});
      const user = await BusUser.watching(await daemon.connect());
      session = await user.start({ agent: "scripted", cwd: cast.place.directory(), prompt: "ask" });
      ask = await openAsk(person, (await question(user, session)).request);
      await user.wait(session, "waiting");
      await daemon.arm(point, 1);
      await callNotify(person, "answer", { ask: ask.ask, option: optionOf(ask, "allow_once") });
      await daemon.death();
    }
    for (let life = 1; life <= 2; life += 1) {
      await using daemon = await startDaemonHere(cast.place);
      const user = new BusUser(await daemon.connect());
      await settled(person);
      const entries = await user.log(session);
      expect(resolutions(entries)).toMatchObject([
        isLogged ? { outcome: "selected", via: "notify", by: "mix-aaaaaa" } : { outcome: "cancelled", via: "restart" },
      ]);
      const told = ofKind(entries, "diagnostic").filter(({ what }) => what === "answer-unused");
      expect(told).toHaveLength(isLogged ? 0 : 1);
      expect(told[0]?.message ?? "agentd was restarted").toContain("agentd was restarted");
      // Nobody saw whether the agent got it, so the log does not claim to know.
      const after = ofKind(entries, "permission").slice(2);
      expect(after.map(({ phase, sent }) => [phase, sent])).toEqual(isLogged ? [["sent", "unknown"]] : []);
      if (point !== "frame_to_agent.after") expect(outcomesOf(cast.agent().received())).toEqual([]);
    }
  },
);

interface AskedIn {
  readonly session: string;
  readonly question: EntryOf<"permission">;
  readonly ask: NotifyAsk;
  readonly yes: string;
}

async function askedIn(scene: Scene): Promise<AskedIn> {
  const session = await scene.idle();
  // Found when it registered, which the scene's agentd may learn a moment later.
  await noticed(scene);
  await scene.user.prompt(session, "go");
  const asking = await question(scene.user, session);
  const ask = await openAsk(scene.user.client, asking.request);
  return { session, question: asking, ask, yes: optionOf(ask, "allow_once") };
}

async function noticed(scene: Scene): Promise<void> {
  await eventually(async () => {
    const { people } = await scene.user.call<{ people?: { state: string } }>("agent.status", {});
    return people?.state === "there" ? true : undefined;
  });
}

/** The ask that stands for the request, when it is there. */
async function openAsk(client: BusClient, request: string): Promise<NotifyAsk> {
  return await eventually(async () => {
    const { asks: open } = await callNotify(client, "list", { state: "open" });
    return open.find(({ ref }) => ref === request);
  });
}

async function ended(
  client: BusClient,
  ask: string,
): Promise<NotifyAsk & { state: Exclude<NotifyAsk["state"], "open"> }> {
  return await eventually(async () => {
    const found = await callNotify(client, "get", { ask });
    return found.state === "open" ? undefined : found;
  });
}

/** When agentd has taken note of everything. */
async function settled(client: BusClient): Promise<void> {
  await eventually(async () => {
    const { asks: left } = await callNotify(client, "list", { noted: false });
    return left.length === 0 ? true : undefined;
  });
}

/** What has no event of its own is asked for again and again, with a deadline. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function optionOf(ask: NotifyAsk, kind: string): string {
  const found = ask.options.find((option) => option.kind === kind);
  if (found === undefined) throw new Error(`no option of kind ${kind}`);
  return found.option;
}

function resolutions(entries: readonly Entry[]): EntryOf<"permission">[] {
  return ofKind(entries, "permission").filter(({ phase }) => phase === "resolved");
}

function outcomes(scene: Scene): unknown[] {
  return outcomesOf(scene.agent().received());
}

function outcomesOf(frames: readonly JsonObject[]): unknown[] {
  return frames
    .filter(({ method, result }) => method === undefined && result !== undefined)
    .map(({ result }) => (result as JsonObject)["outcome"]);
}

function codeOf(error: unknown): string {
  if (error instanceof Refused || error instanceof NotifyRefused) return error.code;
  throw error;
}

async function runMix(place: Place, ...words: string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  const mix = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));
  return await promisify(execFile)(process.execPath, [mix, ...words], { env: place.environment }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  );
}

/** A place whose Bus outlives every agentd in it. */
async function standing(): Promise<{ readonly cast: Cast; readonly connect: StandingBus["connect"] }> {
  const cast = makeCast({ scripted: { ...stubborn, ignore: [] } });
  const bus = await openStandingBus(cast.place);
  onTestFinished(async () => {
    await bus[Symbol.asyncDispose]();
    cast[Symbol.dispose]();
  });
  return { cast, connect: bus.connect };
}
