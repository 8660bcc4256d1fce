// SPDX-License-Identifier: MIT OR Apache-2.0
// The notifier on a real broker, with a service scripted by the test.
import { onTestFinished, expect, test } from "vitest";
import { pino } from "pino";
import { createBroker } from "../../bus-client/broker/index.ts";
import { type Answer, BusClient, done, refused, serveCitizen, systemClock } from "../../bus-client/index.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import type { PeopleEffect, SessionInput } from "../session/core/input.ts";
import type { AnswerStatus } from "./answer-status.ts";
import { Notifier } from "./notifier.ts";

const session = "abcdefghijkl";
const request = `${session}-1`;

test("a question is asked with its request as ref, and the answer that `get` returns is posted once, whatever hints say", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  scene.act(ask());
  expect(await scene.calls.next()).toMatchObject(["ask", { ref: request, source: "agentd/log", title: "May it?" }]);
  const forger = await scene.client("mcp-s-abcdefghijkl-wxyz");
  scene.get = () => done(known({ state: "open" }));
  forger.publish("notify.answered", JSON.stringify({ ask: "a1", ref: request, option: "yes" }));
  expect(await scene.calls.next()).toMatchObject(["get", { ask: "a1" }]);
  scene.get = () => done(known({ state: "answered", answer: { option: "no", by: "mix-abcdef", via: null, at: "" } }));
  for (let n = 0; n < 3; n += 1) forger.publish("notify.answered", JSON.stringify({ ask: "a1", ref: request }));
  expect(await scene.posted.next()).toEqual([
    session,
    { type: "people_answered", request, option: "no", by: "mix-abcdef" },
  ]);
  scene.act({ type: "withdraw_ask", request, reason: "notify" });
  const withdrawn = await scene.calls.nextWhere(([verb]) => verb === "withdraw");
  expect(withdrawn[1]).toEqual({ ask: "a1", reason: "notify", note_answer: true });
  expect(scene.posted.waiting).toEqual([]);
});

test("a hint causes a call only if it names a known ask, and an invalid hint is ignored", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  const forger = await scene.client("forger");
  for (const body of ["", "null", "[]", '{"ask":7}', '{"ask":"other"}']) forger.publish("notify.answered", body);
  forger.publish("notify.answered", '{"ask":"a1"}');
  expect(await scene.calls.next()).toMatchObject(["get", { ask: "a1" }]);
});

test("a reply with another ask or ref is ignored", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  const yes = { option: "yes", by: null, via: null, at: "" };
  const answers = [
    done(known({ state: "answered", answer: yes, ref: `${session}-2` })),
    done({ ...known({ state: "answered", answer: yes }), ask: "a2" }),
    done({ what: "ever" }),
  ];
  scene.get = () => answers.shift() ?? done(known({ state: "answered", answer: { ...yes, option: "no" } }));
  const hinting = await scene.client("hinting");
  for (let n = 0; n < 4; n += 1) {
    hinting.publish("notify.answered", '{"ask":"a1"}');
    await scene.calls.nextWhere(([verb]) => verb === "get");
  }
  expect(await scene.posted.next()).toMatchObject([session, { option: "no" }]);
});

test("a service that registers while a question is open is asked then", async () => {
  const scene = await opened();
  scene.act(ask({ notified: false }));
  expect(scene.notifier.reach).toBe("away");
  await scene.notify();
  expect(await scene.calls.nextWhere(([verb]) => verb === "ask")).toMatchObject(["ask", { ref: request }]);
  expect(scene.notifier.reach).toBe("there");
  expect(scene.posted.waiting).toEqual([]);
});

test("a service that comes back is asked again only if it has lost the question", async () => {
  const scene = await opened();
  const first = await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  scene.list = [known({ state: "open" })];
  await first.stop();
  const second = await scene.notify();
  expect(await scene.calls.next()).toMatchObject(["list", { source: "agent", label: "agentd/log", noted: false }]);
  scene.list = [];
  await second.stop();
  await scene.notify();
  expect(await scene.calls.nextWhere(([verb]) => verb !== "list")).toMatchObject(["ask", { ref: request }]);
});

test("a refusal is reported once and not retried, and the end of its request causes no call", async () => {
  const scene = await opened();
  scene.ask = () => refused("ASK_CONFLICT", "something else is asked");
  await scene.notify();
  await scene.there();
  scene.act(ask());
  expect(await scene.posted.next()).toMatchObject([
    session,
    { type: "people_not_asked", message: expect.stringContaining("something else") },
  ]);
  scene.act({ type: "withdraw_ask", request, reason: "timeout" });
  scene.ask = () => done({ ask: "a1", state: "open" });
  scene.act(ask({ request: `${session}-2` }));
  expect(await scene.calls.nextWhere(([, args]) => args["ref"] === `${session}-2`)).toBeDefined();
  expect(scene.posted.waiting).toEqual([]);
});

test("if the log says that people are asked and the service is gone, that is reported once", async () => {
  const scene = await opened({ notifyRetryMs: 10, notifyPollMs: 10 });
  const notify = await scene.notify();
  await scene.there();
  await notify.stop();
  scene.act(ask());
  expect(await scene.posted.next()).toMatchObject([session, { type: "people_not_asked", request }]);
  await scene.notify();
  expect(await scene.calls.nextWhere(([verb]) => verb === "ask")).toMatchObject(["ask", { ref: request }]);
  expect(scene.posted.waiting).toEqual([]);
});

test("a question that ends while it is being asked is withdrawn by the id that it got", async () => {
  const scene = await opened();
  scene.ask = () => {
    scene.act({ type: "withdraw_ask", request, reason: "cancel" });
    return done({ ask: "a1", state: "open" });
  };
  await scene.notify();
  await scene.there();
  scene.act(ask());
  expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toEqual([
    "withdraw",
    { ask: "a1", reason: "cancel", note_answer: false },
  ]);
});

test("an answer that crosses a withdrawal is posted and left to be noted until its session has logged it", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  scene.use = "unused";
  scene.withdraw = () =>
    done(known({ state: "answered", answer: { option: "yes", by: "mix-abcdef", via: null, at: "" } }));
  scene.act({ type: "withdraw_ask", request, reason: "cancel" });
  expect(await scene.posted.next()).toMatchObject([session, { type: "people_answered", option: "yes" }]);
  expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toMatchObject([
    "withdraw",
    { note_answer: false },
  ]);
  scene.act({ type: "withdraw_ask", request, reason: "not used" });
  expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toMatchObject([
    "withdraw",
    { note_answer: true },
  ]);
  expect(scene.posted.waiting).toEqual([]);
});

test("a changed question is withdrawn and asked again, and an answer to the previous edition is marked as such", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  scene.withdraw = () => done(known({ state: "answered", answer: { option: "yes", by: null, via: null, at: "" } }));
  scene.act(ask({ edition: 1, title: "May it now?" }));
  expect(await scene.calls.next()).toEqual(["withdraw", { ask: "a1", reason: "changed", note_answer: false }]);
  // It crossed the withdrawal. Without an edition, it is an answer to the first.
  expect(await scene.posted.next()).toEqual([session, { type: "people_answered", request, option: "yes", by: null }]);
  expect(await scene.calls.next()).toMatchObject(["withdraw", { note_answer: true }]);
  expect(await scene.calls.next()).toMatchObject(["ask", { ref: request, title: "May it now?" }]);
  scene.get = () => done(known({ state: "answered", answer: { option: "no", by: null, via: null, at: "" } }));
  (await scene.client("hinting")).publish("notify.answered", '{"ask":"a1"}');
  expect(await scene.posted.next()).toMatchObject([session, { option: "no", edition: 1 }]);
});

test("a question that changes while it is being asked is asked again as changed, or not at all if it has ended", async () => {
  const scene = await opened();
  scene.ask = ({ title }) => {
    if (title === "May it?") scene.act(ask({ edition: 1, title: "May it now?" }));
    return done({ ask: "a1", state: "open" });
  };
  await scene.notify();
  await scene.there();
  scene.act(ask());
  expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toMatchObject(["withdraw", { ask: "a1" }]);
  expect(await scene.calls.next()).toMatchObject(["ask", { title: "May it now?" }]);
  scene.act(ask({ edition: 2, title: "And now?" }));
  scene.act({ type: "withdraw_ask", request, reason: "cancel" });
  expect(await scene.calls.next()).toMatchObject(["withdraw", { ask: "a1", reason: "cancel" }]);
  scene.act(ask({ request: `${session}-2`, title: "Another?" }));
  expect(await scene.calls.next()).toMatchObject(["ask", { title: "Another?" }]);
});

test.each([
  ["open", "unused", "restart", false],
  ["answered", "used", "settled", true],
  ["answered", "reported", "settled", true],
  ["answered", "gone", "settled", true],
] as const)(
  "an ask that a dead agentd left %s, with an answer that the log calls %s, is withdrawn and not posted",
  async (state, use, reason, noted) => {
    const scene = await opened();
    scene.use = use;
    const answer = { option: "yes", by: null, via: "desktop", at: "" };
    scene.list = [known(state === "open" ? { state } : { state, answer })];
    await scene.notify();
    expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toEqual([
      "withdraw",
      { ask: "a1", reason, note_answer: noted },
    ]);
    expect(scene.posted.waiting).toEqual([]);
  },
);

test("an answer that arrived before a crash is posted to its session, and noted once the session has it", async () => {
  const scene = await opened();
  scene.use = "unused";
  scene.list = [known({ state: "answered", answer: { option: "yes", by: null, via: "desktop", at: "" } })];
  await scene.notify();
  expect(await scene.posted.next()).toEqual([session, { type: "people_answered", request, option: "yes", by: null }]);
  scene.act({ type: "withdraw_ask", request, reason: "not used" });
  expect(await scene.calls.nextWhere(([verb]) => verb === "withdraw")).toMatchObject([
    "withdraw",
    { note_answer: true },
  ]);
});

test("a service whose list never ends, since its last page repeats, is asked all the same", async () => {
  const scene = await opened();
  scene.list = [known({ state: "open", ref: `${session}-9` })];
  scene.more = true;
  await scene.notify();
  await scene.there();
  scene.act(ask());
  expect(await scene.calls.nextWhere(([verb]) => verb === "ask")).toMatchObject(["ask", { ref: request }]);
});

test("an agentd that stops withdraws its questions first, and does not wait for a service that hangs", async () => {
  const scene = await opened({ notifyFarewellMs: 100 });
  await scene.notify();
  await scene.there();
  scene.act(ask());
  await scene.calls.next();
  scene.act({ type: "withdraw_ask", request, reason: "end" });
  await scene.notifier.stop();
  expect(scene.calls.waiting.map(([verb]) => verb)).toContain("withdraw");
  const hanging = await opened({ notifyFarewellMs: 100 });
  hanging.ask = () => undefined;
  await hanging.notify();
  await hanging.there();
  hanging.act(ask());
  await hanging.calls.next();
  await hanging.notifier.stop();
});

test("a session for which the service has no room does not block other sessions, and its question is asked later", async () => {
  const scene = await opened();
  await scene.notify();
  await scene.there();
  const other = "zzzzzzzzzzzz";
  const room = new Set([other]);
  scene.ask = ({ group, ref }) => {
    return room.has(String(group)) ? done({ ask: String(ref), state: "open" }) : refused("BUSY", "no room");
  };
  for (const nth of [1, 2]) scene.act(ask({ request: `${session}-${nth}` }));
  scene.notifier.act(other, ask({ request: `${other}-1` }));
  await scene.calls.nextWhere(([verb, { ref }]) => verb === "ask" && ref === `${other}-1`);
  for (const nth of [1, 2]) {
    const message = expect.stringContaining("no room") as string;
    expect(await scene.posted.next()).toEqual([
      session,
      { type: "people_not_asked", request: `${session}-${nth}`, message },
    ]);
  }
  room.add(session);
  await scene.calls.nextWhere(([verb, { ref }]) => verb === "ask" && ref === `${session}-2`);
  expect(scene.posted.waiting).toEqual([]);
});

function ask(some: Partial<Extract<PeopleEffect, { type: "ask_people" }>> = {}): PeopleEffect {
  return {
    type: "ask_people",
    request,
    edition: 0,
    title: "May it?",
    body: "",
    incomplete: false,
    options: [{ option: "yes", label: "Yes", kind: "allow_once" }],
    expiresAt: null,
    notified: true,
    ...some,
  };
}

function known(some: object) {
  return { ask: "a1", ref: request, ...some };
}

async function opened(limits: Partial<ConstructorParameters<typeof Notifier>[0]["limits"]> = {}) {
  const broker = createBroker();
  onTestFinished(() => broker.close());
  const calls = new Inbox<[string, Record<string, unknown>]>();
  const posted = new Inbox<[string, SessionInput]>();
  const client = async (name: string): Promise<BusClient> => {
    const made = new BusClient({ url: () => broker.connectLocal(), name });
    onTestFinished(() => made.stop());
    await made.connect();
    return made;
  };
  const bus = await client("agent");
  const notifier = new Notifier({
    bus,
    service: () => "notify",
    label: "agentd/log",
    post: (to, input) => posted.push([to, input]),
    answerStatus: () => scene.use,
    after: (ms, run) => systemClock.after(ms, run),
    logger: pino({ level: "silent" }),
    limits: {
      notifyCallMs: 1_000,
      notifyPollMs: 5_000,
      notifyRetryMs: 50,
      notifyFarewellMs: 2_000,
      notifyTrackedMax: 16,
      ...limits,
    },
  });
  onTestFinished(() => notifier.stop());
  notifier.onBus(true);
  const scene = {
    notifier,
    calls,
    posted,
    client,
    use: "gone" as AnswerStatus,
    list: [] as object[],
    more: false,
    ask: (_args: Record<string, unknown>): Answer | undefined => done({ ask: "a1", state: "open" }),
    get: (): Answer => done(known({ state: "open" })),
    withdraw: (): Answer => done(known({ state: "withdrawn" })),
    act: (effect: PeopleEffect) => notifier.act(session, effect),
    /** Resolves when the service's list was read for the first time. */
    async there() {
      await calls.nextWhere(([verb]) => verb === "list");
    },
    async notify() {
      const verb = (name: string, answer: (args: Record<string, unknown>) => Answer | undefined) => ({
        name: `notify.${name}`,
        args: [],
        description: "",
        readOnly: false,
        handler: ({ args }: { readonly args: object }) => {
          const given = args as Record<string, unknown>;
          calls.push([name, given]);
          return answer(given);
        },
      });
      const citizen = serveCitizen({
        client: { url: () => broker.connectLocal() },
        service: "notify",
        version: "1",
        description: "",
        drainTimeoutMs: 0,
        verbs: [
          verb("ask", (args) => scene.ask(args)),
          verb("get", () => scene.get()),
          verb("withdraw", () => scene.withdraw()),
          verb("list", () => done({ asks: scene.list, more: scene.more })),
        ],
      });
      onTestFinished(() => citizen.stop());
      await citizen.connect();
      return citizen;
    },
  };
  return scene;
}
