// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("wait ends when every session has reached a wanted state, and prints each", async () => {
  const agentd = await bench.agentd();
  const first = agentd.begin("sessionaaaaa");
  const second = agentd.begin("sessionbbbba");
  first.append({ kind: "state", state: "idle" });
  const running = bench.start(["agent", "wait", "sessiona", "sessionb", "--for", "idle"]);
  await running.shows("sessionaaaaa idle");
  second.append({ kind: "state", state: "idle" });
  expect(await running.ended).toMatchObject({ code: 0, stdout: "sessionaaaaa idle\nsessionbbbba idle\n" });
});

test("wait for idle exits 1 if the session is lost, and 3 if the time is up", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa").append({ kind: "state", state: "lost" });
  expect((await bench.run(["agent", "wait", "sessiona", "--for", "idle"])).code).toBe(1);
  agentd.begin("sessionbbbba");
  const ran = await bench.run(["agent", "wait", "sessionb", "--for", "idle", "--timeout", "50ms"]);
  expect(ran).toMatchObject({ code: 3, stdout: "" });
  expect(ran.stderr).toContain("TIME_LIMIT: ");
  expect((await bench.run(["agent", "wait", "sessionb", "--for", "sleeping"])).code).toBe(2);
});
