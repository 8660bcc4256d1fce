// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("cancel and close name the session as people call it", async () => {
  const agentd = await bench.agentd({ onPrompt: () => undefined });
  agentd.begin("sessionaaaaa", { agent: "demo", name: "mine" }).append({ kind: "state", state: "idle" });
  const nothing = await bench.run(["agent", "cancel", "mine"]);
  expect(nothing).toMatchObject({ code: 0, stdout: "", stderr: "mine has no turn to cancel\n" });
  await bench.run(["agent", "send", "mine", "for ever", "--no-wait"]);
  const cancelled = await bench.run(["agent", "cancel", "mine"]);
  expect(cancelled).toMatchObject({ code: 0, stdout: "cancelling turn 1 of mine\n" });
  expect((await bench.run(["agent", "close", "mine"])).stdout).toBe("mine closed\n");
});
