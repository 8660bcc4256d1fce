// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("ls --json is one document with a list, also where there is nothing", async () => {
  await bench.agentd();
  const ran = await bench.run(["agent", "ls", "--json"]);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ schema: "mix.sessions.v1", sessions: [] });
});

test("ls lists live sessions, --all ended ones as well, -q ids alone", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  agentd.begin("sessionbbbba").append({ kind: "state", state: "closed" });
  expect((await bench.run(["agent", "ls", "-q"])).stdout).toBe("sessionaaaaa\n");
  expect((await bench.run(["agent", "ls", "-q", "--all"])).stdout).toBe("sessionaaaaa\nsessionbbbba\n");
  expect((await bench.run(["agent", "ls", "--state", "closed"])).stdout).toContain("sessionbbbba");
  expect((await bench.run(["agent", "ls", "--state", "sleeping"])).code).toBe(2);
});

test("ls -w prints a line for each session that changes until Ctrl-C", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const running = bench.start(["agent", "ls", "-w"]);
  await running.shows("starting");
  session.append({ kind: "state", state: "idle" });
  await running.shows("idle");
  session.append({ kind: "state", state: "closed" });
  await running.shows("closed");
  running.interrupt();
  const ran = await running.ended;
  expect(ran.code).toBe(130);
  expect(lines(ran.stdout)).toHaveLength(3);
});
