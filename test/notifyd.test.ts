// SPDX-License-Identifier: MIT OR Apache-2.0
// The built notifyd in a process of its own, on an embedded broker.
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { onTestFinished, expect, test } from "vitest";
import type { BusClient } from "../bus-client/index.ts";
import { fakeDesktop } from "../notifyd/testing/fake-desktop.ts";
import { Inbox } from "../bus-client/testing/inbox.ts";
import { within } from "./harness/deadline.ts";
import { callNotify, notifyRefusal, yesOrNo } from "./harness/notify-user.ts";
import { notifydProgram, startNotifydProcess } from "./harness/notifyd-process.ts";
import { makePlace } from "./harness/place.ts";
import { openStandingBus } from "./harness/standing-bus.ts";

test("an open ask survives that notifyd is killed, and is answered after its restart", async () => {
  const { environment, connect } = await bus();
  const [agent, person] = [await connect("agent"), await connect("mix-aaaaaa")];
  const first = await startNotifydProcess(environment);
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  first.child.kill("SIGKILL");
  await first.exited;
  await using _again = await startNotifydProcess(environment);
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ state: "open", source: "agent", ref: "r-1" });
  expect(await callNotify(agent, "ask", yesOrNo("r-1"))).toEqual({ ask, state: "open" });
  const hints = new Inbox<string>();
  await agent.subscribe("notify.answered", ({ body }) => hints.push(body));
  await callNotify(person, "answer", { ask, option: "yes", via: "mix" });
  expect(JSON.parse(await hints.next())).toEqual({ ask, ref: "r-1" });
  const answer = { option: "yes", via: "mix", by: "mix-aaaaaa" };
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ state: "answered", answer, noted: false });
});

test("of two people who answer in the same moment one wins, and the other learns who", async () => {
  const { environment, connect } = await bus();
  const agent = await connect("agent");
  const people = [await connect("mix-aaaaaa"), await connect("mix-bbbbbb")];
  await using _notifyd = await startNotifydProcess(environment);
  for (let round = 0; round < 20; round += 1) {
    const { ask } = await callNotify(agent, "ask", yesOrNo(`r-${round}`));
    const given = await Promise.allSettled(
      people.map((person, index) => callNotify(person, "answer", { ask, option: ["yes", "no"][index] ?? "" })),
    );
    const [won, lost] = [
      given.findIndex(({ status }) => status === "fulfilled"),
      given.filter((one) => one.status === "rejected"),
    ];
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatchObject({ reason: { code: "REQUEST_CLOSED", body: { answer: { by: people[won]?.name } } } });
    expect(await callNotify(agent, "get", { ask })).toMatchObject({ answer: { by: people[won]?.name } });
  }
});

test("who may ask, answer and withdraw is decided by the name that the broker stamped", async () => {
  const { environment, connect } = await bus();
  await using _notifyd = await startNotifydProcess(environment);
  const agent = await connect("agent");
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1", { source: "somebody-else" }));
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ source: "agent", label: "somebody-else" });
  for (const name of ["mcp-s-abcdefghijkl-wxyz", "mcp-abcdef"]) {
    const own = await connect(name);
    expect((await notifyRefusal(own, "answer", { ask, option: "yes" })).code).toBe("AGENT_SELF");
    expect((await notifyRefusal(own, "withdraw", { ask, reason: "x" })).code).toBe("NOT_YOURS");
    expect((await own.call("notify", "QUIT")).rc).toBe(10);
  }
  const nameless = await connect(null);
  expect((await notifyRefusal(nameless, "answer", { ask, option: "yes" })).code).toBe("UNSUPPORTED");
  expect((await notifyRefusal(nameless, "ask", yesOrNo("r-1"))).code).toBe("UNSUPPORTED");
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ state: "open" });
});

test("an option that is not offered, an ask that is unknown or over, and arguments that are wrong are refused by their codes", async () => {
  const { environment, connect } = await bus();
  await using _notifyd = await startNotifydProcess(environment);
  const [agent, person] = [await connect("agent"), await connect("mix-aaaaaa")];
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  expect(await notifyRefusal(person, "answer", { ask, option: "maybe" })).toMatchObject({
    code: "OPTION_UNKNOWN",
    body: { options: ["yes", "no"] },
  });
  expect((await notifyRefusal(person, "get", { ask: "nothing" })).code).toBe("ASK_UNKNOWN");
  const past = yesOrNo("r-2", { expires_at: "2020-01-01T00:00:00.000Z" });
  expect(await notifyRefusal(agent, "ask", past)).toMatchObject({ code: "ARGUMENT", body: { field: "expires_at" } });
  expect((await notifyRefusal(agent, "ask", yesOrNo("r-1", { title: "else" }))).code).toBe("ASK_CONFLICT");
  await callNotify(agent, "withdraw", { ask, reason: "cancelled" });
  expect(await notifyRefusal(person, "answer", { ask, option: "yes" })).toMatchObject({
    code: "REQUEST_CLOSED",
    body: { state: "withdrawn", reason: "cancelled" },
  });
});

test("an ask whose time is over ends as expired, also when its time ran out while no notifyd lived", async () => {
  const { environment, connect } = await bus();
  const agent = await connect("agent");
  const soon = (): string => new Date(Date.now() + 300).toISOString();
  const first = await startNotifydProcess(environment);
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1", { expires_at: soon() }));
  await ended(agent, ask);
  const { ask: other } = await callNotify(agent, "ask", yesOrNo("r-2", { expires_at: soon() }));
  first.child.kill("SIGKILL");
  await first.exited;
  await using _again = await startNotifydProcess(environment);
  expect(await ended(agent, other)).toMatchObject({ state: "expired", noted: false });
});

test("a second notifyd of the same user leaves the first alone and says so", async () => {
  const { environment } = await bus();
  await using _first = await startNotifydProcess(environment);
  const second = spawn(process.execPath, [notifydProgram], { env: environment, stdio: "ignore" });
  const code = await within(20_000, "it did not end", new Promise((resolve) => second.once("exit", resolve)));
  expect(code).toBe(75);
});

test("where no Bus is yet, that is one line that says what to do, at a time that people can read", async () => {
  using place = makePlace();
  const notifyd = spawn(process.execPath, [notifydProgram], {
    env: place.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(notifyd, "exit");
  const lines: object[] = [];
  for await (const line of createInterface(notifyd.stderr)) {
    lines.push(JSON.parse(line) as object);
    if (line.includes("not on the Bus")) notifyd.kill("SIGTERM");
  }
  await exited;
  const complaints = lines.filter((line) => JSON.stringify(line).includes("not on the Bus"));
  expect(complaints).toEqual([
    {
      level: 40,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      code: "DIAL_FAILED",
      msg: expect.stringContaining("`mix bus` or agentd"),
    },
  ]);
});

test("a button on the desktop answers, and no notification outlives notifyd, however it dies", async () => {
  const { environment, connect } = await bus();
  const desktop = await fakeDesktop();
  const agent = await connect("agent");
  const path = `${desktop.environment["PATH"]}:${environment["PATH"]}`;
  const notifyd = await startNotifydProcess({ ...environment, ...desktop.environment, PATH: path });
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  (await desktop.notifications.next()).press(0);
  expect(await ended(agent, ask)).toMatchObject({ answer: { option: "yes", via: "desktop", by: null } });
  await callNotify(agent, "ask", yesOrNo("r-2"));
  const shown = await desktop.notifications.next();
  notifyd.child.kill("SIGKILL");
  await notifyd.exited;
  expect(await within(10_000, "the notification stayed", shown.ended)).toBe("closed");
});

test("a button that is pressed while the store is locked is told to be late, and is the answer when the lock is gone", async () => {
  const { environment, connect } = await bus();
  const desktop = await fakeDesktop();
  const agent = await connect("agent");
  const path = `${desktop.environment["PATH"]}:${environment["PATH"]}`;
  await using _notifyd = await startNotifydProcess({ ...environment, ...desktop.environment, PATH: path });
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  const other = new Database(join(environment["XDG_STATE_HOME"] ?? "", "notifyd", "asks.db"));
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  (await desktop.notifications.next()).press(0);
  expect(await desktop.notifications.next()).toMatchObject({
    summary: "Your answer is not saved yet",
    body: expect.stringContaining(ask),
  });
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ state: "open" });
  other.exec("ROLLBACK");
  expect(await ended(agent, ask)).toMatchObject({ answer: { option: "yes", via: "desktop", by: null } });
});

/** What the ask came to; asked again and again, since an end of time tells nobody. */
async function ended(client: BusClient, ask: string) {
  const until = Date.now() + 20_000;
  for (;;) {
    const found = await callNotify(client, "get", { ask });
    if (found.state !== "open") return found;
    if (Date.now() > until) throw new Error("it did not end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function bus() {
  const place = makePlace();
  const { environment } = place;
  const standing = await openStandingBus(place);
  onTestFinished(async () => {
    await standing[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });
  return { environment, connect: standing.connect };
}
