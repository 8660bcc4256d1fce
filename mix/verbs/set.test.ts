// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("close returns when the session is closed", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  expect(await bench.run(["agent", "close", "sessiona"])).toMatchObject({ code: 0, stdout: "sessionaaaaa closed\n" });
});

test("set sends booleans for boolean options, and gives each of several options its own command id", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  expect((await bench.run(["agent", "set", "sessiona", "loud=on", "mode=true", "--id", "c"])).code).toBe(0);
  const sets = agentd.asked.filter(([verb]) => verb === "agent.session.set_config").map(([, args]) => args);
  expect(sets).toEqual([
    { session: "sessiona", option: "loud", value: true, command_id: "c" },
    { session: "sessiona", option: "mode", value: "true", command_id: "c-2" },
  ]);
});

test.each([
  ["mdoe=ask", { option: "mdoe", options: ["mode", "pace"] }, "did you mean mode?"],
  ["mode=paln", { option: "mode", values: ["ask", "plan"] }, "did you mean plan?"],
])("set %s: a mistyped option and a mistyped value are guessed at", async (word, details, question) => {
  const body = JSON.stringify({ error_code: "OPTION_UNKNOWN", message: "there is none", ...details });
  const agentd = await bench.agentd({ replies: { "agent.session.set_config": { rc: 10, body } } });
  agentd.begin("sessionaaaaa");
  const ran = await bench.run(["agent", "set", "sessionaaaaa", word]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(question) });
});
