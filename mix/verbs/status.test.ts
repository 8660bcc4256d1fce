// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { done } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("each fault of a refused configuration has a line, and people are told which verbs answer requests", async () => {
  const reply = {
    pid: 1,
    version: "0",
    started_at: "2026-11-30T12:00:00.000Z",
    bus: { url: "ws://x/ws", embedded: false, state: "connected", generation: 1 },
    log: { id: "l", file: "/l", bytes: 1 },
    config: { file: "/c", loaded: true, error: "/c:1: roots is wrong\n/c:2: notify is wrong" },
    people: { service: null, state: "off" },
    limits: [],
    sessions: { live: 0, max: 8 },
  };
  await bench.agentd({ replies: { "agent.status": done(reply) } });
  const told = lines((await bench.run(["agent", "status"])).stdout).map((line) => line.trimEnd());
  const at = told.findIndex((line) => line.startsWith("refused"));
  expect(told.slice(at, at + 3)).toEqual([
    "refused        /c:1: roots is wrong",
    "               /c:2: notify is wrong",
    "people         asked by mix agent permit and answer only",
  ]);
});
