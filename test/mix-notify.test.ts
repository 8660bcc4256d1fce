// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix notify` against a real notifyd, in this process.
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BusClient } from "../bus-client/index.ts";
import { BusClient as Client } from "../bus-client/index.ts";
import { Bench } from "../mix/testing/command-line-under-test.ts";
import { Notifyd } from "../notifyd/notifyd.ts";
import { statePaths } from "../notifyd/state-directory.ts";
import { callNotify, yesOrNo } from "./harness/notify-user.ts";

let bench: Bench;
let agent: BusClient;
let notifyd: Notifyd | undefined;
beforeEach(async () => {
  bench = await Bench.create();
  agent = new Client({ url: bench.url, name: "agent" });
  await agent.connect();
});
afterEach(async () => {
  await notifyd?.stop("the test is over");
  notifyd = undefined;
  await agent.stop();
  await bench.close();
});

test("without notify on the Bus it is said how to start it, and the exit is 6", async () => {
  const ran = await bench.run(["notify", "ls"]);
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("start `notifyd`");
});

test("ls shows what is open with its options, and nothing in it repaints the terminal", async () => {
  await start();
  expect(await bench.run(["notify", "ls", "--json"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"asks": []'),
  });
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1", { title: "May \u001b[2Jit?" }));
  const { stdout } = await bench.run(["notify", "ls"]);
  expect(stdout).toContain(ask);
  expect(stdout).toContain("May \\x1b[2Jit?");
  expect(stdout).toContain("yes [allow_once], no [reject_once]");
  const shown = await bench.run(["notify", "ls", ask]);
  expect(shown.stdout).toContain("read a file");
  expect(shown.stdout).toContain(`mix notify answer ${ask} <option>`);
  expect((await bench.run(["notify", "ls", "-q"])).stdout).toBe(`${ask}\n`);
});

test("an answer is given by the beginning of an id, by a name, once, and with its exit codes", async () => {
  await start();
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  expect((await bench.run(["notify", "answer", ask, "maybe"])).code).toBe(2);
  expect((await bench.run(["notify", "answer", "11111111", "yes"])).code).toBe(4);
  const own = { AGENTD_SESSION: "abcdefghijkl/abcdefghijkl" };
  expect((await bench.run(["notify", "answer", ask, "yes"], { env: own })).stderr).toContain("AGENT_SELF");
  expect((await bench.run(["notify", "answer", ask.slice(0, 5), "yes"])).code).toBe(0);
  expect(await callNotify(agent, "get", { ask })).toMatchObject({
    answer: { option: "yes", via: "mix", by: expect.stringMatching(/^mix-/) },
  });
  const late = await bench.run(["notify", "answer", ask, "no"]);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("REQUEST_CLOSED")]);
});

test("an option is answered by its number as ls shows it, and one without a label is shown by its id", async () => {
  await start();
  const options = [
    { option: "a-long-id", label: "Yes", kind: "allow_once" },
    { option: "decline", label: "", kind: "reject_once" },
  ];
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1", { options }));
  expect((await bench.run(["notify", "ls", ask])).stdout).toContain("  2) decline  [reject_once, decline]");
  const ran = await bench.run(["notify", "answer", ask, "2"]);
  expect(ran).toMatchObject({ code: 0, stdout: `${ask} answered: decline\n` });
  expect(await callNotify(agent, "get", { ask })).toMatchObject({ answer: { option: "decline" } });
});

test("an id that is another option's number is not shown beside numbers, and is what answers", async () => {
  await start();
  const options = [
    { option: "no", label: "No", kind: "reject_once" },
    { option: "1", label: "Yes", kind: "allow_once" },
  ];
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1", { options }));
  const { stdout } = await bench.run(["notify", "ls", ask]);
  expect(stdout).toContain("  - No  [reject_once, no]\n  - Yes  [allow_once, 1]");
  expect((await bench.run(["notify", "answer", ask, "2"])).code).toBe(2);
  expect((await bench.run(["notify", "answer", ask, "1"])).stdout).toBe(`${ask} answered: 1\n`);
});

test("watch shows asks and their ends as they come, across a restart of notifyd", { tags: "slow" }, async () => {
  await start();
  const watch = bench.start(["notify", "watch"]);
  const { ask } = await callNotify(agent, "ask", yesOrNo("r-1"));
  await watch.shows(`mix notify answer ${ask}`);
  await notifyd?.stop("for a while");
  await watch.shows("still watching");
  await start();
  const again = await callNotify(agent, "ask", yesOrNo("r-2", { title: "And this?" }));
  await watch.shows(`mix notify answer ${again.ask}`);
  await callNotify(agent, "withdraw", { ask, reason: "cancel" });
  await watch.shows(`${ask}: withdrawn, cancel`);
  watch.interrupt();
  const ran = await watch.ended;
  expect(ran.code).toBe(130);
  expect(ran.stdout.split(`mix notify answer ${ask}`)).toHaveLength(2);
});

async function start(): Promise<void> {
  const surroundings = { env: { MIXOS_NODED_URL: bench.url }, uid: process.getuid?.() ?? -1, home: bench.directory };
  notifyd = new Notifyd({
    paths: statePaths({}, bench.directory),
    surroundings,
    version: "0.0.0",
    logger: pino({ level: "silent" }),
  });
  await notifyd.ready;
}
