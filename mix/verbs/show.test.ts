// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionUsage } from "../../agentd/vocabulary/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("show has what the turns used, as far as the agent said it", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  session.append({ kind: "state", state: "idle" });
  const used = async (usage_total: SessionUsage) => {
    session.shown = { usage_total };
    return /^used .*$/m.exec((await bench.run(["agent", "show", "sessionaaaaa"])).stdout)?.[0];
  };
  const cost = { amount: 0.25, currency: "EUR" };
  expect(await used({ turns: 2, total_tokens: 1200, input_tokens: 1000, output_tokens: 200, cost })).toMatch(
    /^used +1200 tokens, 1000 in, 200 out, 0.25 EUR in 2 turns$/,
  );
  expect(await used({ turns: 1, cost })).toMatch(/^used +0.25 EUR in 1 turn$/);
});
