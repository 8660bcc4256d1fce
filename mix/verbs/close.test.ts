// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { refused } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("close succeeds even if the closed session cannot be shown", async () => {
  const agentd = await bench.agentd({
    replies: { "agent.session.get": refused("REPLY_TOO_LARGE", "the answer is too long", {}, 20) },
  });
  agentd.begin("sessionaaaaa").append({ kind: "state", state: "idle" });
  expect(await bench.run(["agent", "close", "sessionaaaaa"])).toMatchObject({
    code: 0,
    stdout: "sessionaaaaa closed\n",
  });
});
