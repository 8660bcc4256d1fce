// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("rename says what the session is called now, and an empty name removes it", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  const rename = async (...words: string[]) => await bench.run(["agent", "rename", "sessionaaaaa", ...words]);
  expect(await rename("tests", "--id", "r")).toEqual({ code: 0, stdout: "sessionaaaaa is tests now\n", stderr: "" });
  expect(await rename("")).toEqual({ code: 0, stdout: "sessionaaaaa has no name now\n", stderr: "" });
  const json: unknown = JSON.parse((await rename("tests", "--json")).stdout);
  expect(json).toMatchObject({ schema: "mix.renamed.v1", name: "tests" });
  expect(agentd.asked.slice(0, 2).map(([, args]) => args)).toEqual([
    { session: "sessionaaaaa", name: "tests", command_id: "r" },
    { session: "sessionaaaaa", name: "" },
  ]);
});

test("rename without a name is a usage error", async () => {
  expect(await bench.run(["agent", "rename", "abc"])).toMatchObject({ code: 2 });
});
