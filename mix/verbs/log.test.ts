// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines, objects } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("log prints every entry, --json unchanged, --tail the last ones, --kind only that kind", async () => {
  const agentd = await bench.agentd({ pageMax: 2 });
  const session = agentd.begin("sessionaaaaa");
  for (const text of ["one", "two", "three"]) session.text(1, text);
  session.endTurn(1);
  const all = await bench.run(["agent", "log", "sessiona", "--json"]);
  expect(objects(all.stdout)).toEqual(session.entries);
  const tail = await bench.run(["agent", "log", "sessiona", "--json", "--tail", "2", "--kind", "message"]);
  expect(objects(tail.stdout).map(({ seq }) => seq)).toEqual([3, 4]);
  const since = await bench.run(["agent", "log", "sessiona", "-q", "--since", `logloglogaaa/sessionaaaaa/5`]);
  expect(lines(since.stdout)).toEqual(["logloglogaaa/sessionaaaaa/6"]);
  const people = await bench.run(["agent", "log", "sessiona", "--turn", "1"]);
  expect(people.stdout).toContain("agent: three");
});

test("a log without matching entries says so, to people only", async () => {
  (await bench.agentd()).begin("sessionaaaaa").text(1, "one");
  const words = ["agent", "log", "sessiona", "--turn", "9"];
  expect(await bench.run(words)).toEqual({ code: 0, stdout: "", stderr: "no matching entries\n" });
  expect(await bench.run([...words, "--json"])).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("log -f continues with new entries and loses none in between", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  session.text(1, "one");
  const running = bench.start(["agent", "log", "sessiona", "-f", "--json"]);
  await running.shows('"one"');
  for (let count = 0; count < 50; count += 1) session.text(1, `more ${count}`);
  await running.shows('"more 49"');
  running.interrupt();
  const ran = await running.ended;
  expect(ran.code).toBe(130);
  expect(objects(ran.stdout)).toEqual(session.entries);
});

test("an unknown kind is a usage error, with -f too, where it would otherwise print nothing for ever", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  const ran = await bench.run(["agent", "log", "sessiona", "-f", "--kind", "mesage"]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("message");
});

test("an entry nested too deeply to be written, from an older log, is shown as far as possible", async () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const head = '"log":"logloglogaaa","session":"sessionaaaaa","at":"2026-11-30T00:00:00.000Z"';
  const entry = `{${head},"seq":1,"kind":"extension","method":"_x/y","data":{"a":"shown","b":${deep}}}`;
  const page = `{"log":"logloglogaaa","session":"sessionaaaaa","entries":[${entry}],"last_seq":1}`;
  const agentd = await bench.agentd({ replies: { "agent.session.log": { rc: 0, body: page } } });
  agentd.begin("sessionaaaaa");
  for (const flags of [["--json"], []]) {
    const ran = await bench.run(["agent", "log", "sessionaaaaa", ...flags]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('"a":"shown"') as string });
    expect(ran.stdout).toContain("nested too deep");
  }
  const called = await bench.run(["call", "agent", "agent.session.log", "session=sessionaaaaa", "--json"]);
  expect(JSON.parse(called.stdout)).toMatchObject({ rc: 0, body: { last_seq: 1 } });
});
