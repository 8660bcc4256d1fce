// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("Ctrl-C in a follow exits with 130, says how to cancel and cancels nothing", async () => {
  const agentd = await bench.agentd();
  const running = bench.start(["agent", "start", "demo", "x"]);
  await running.shows("is ready");
  running.interrupt();
  const ran = await running.ended;
  expect(ran.code).toBe(130);
  expect(ran.stderr).toContain("mix agent cancel sessionaaaaa");
  expect(agentd.asked.map(([verb]) => verb)).not.toContain("agent.session.cancel");
});

test("on a terminal a second Ctrl-C within two seconds asks, and only yes cancels", async () => {
  const agentd = await bench.agentd();
  const running = bench.start(["agent", "start", "demo", "x"], { tty: true });
  await running.shows("is ready");
  running.interrupt();
  await running.shows("Ctrl-C again");
  // A line typed before the question does not answer it.
  running.type("n\nn");
  running.interrupt();
  await running.shows("[y/N]");
  running.type("y\n");
  expect((await running.ended).code).toBe(130);
  expect(agentd.asked.map(([verb]) => verb)).toContain("agent.session.cancel");
});

test("what to type next is said with the session's name, and the cursor only where nobody is at the terminal", async () => {
  await bench.agentd();
  const start = (tty: boolean) => bench.start(["agent", "start", "demo", "x", "--name", `mine-${tty}`], { tty });
  for (const tty of [false, true]) {
    const running = start(tty);
    await running.shows("is ready");
    running.interrupt();
    const { stderr } = await running.ended;
    expect(stderr).toContain(`detached; session mine-${tty} continues\nto watch:  mix agent attach mine-${tty}\n`);
    expect(stderr).toContain(`\nto cancel: mix agent cancel mine-${tty}\n`);
    expect(stderr.includes("--since")).toBe(!tty);
  }
});
