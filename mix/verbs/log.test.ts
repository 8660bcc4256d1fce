// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
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
  expect(people.stdout).toMatch(/^ +2 .* agent +onetwothree\n +5 .* turn +1 ended end_turn/);
});

test("--tail counts the rows that people see, wherever they begin in the log", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  session.append({ kind: "turn", turn: 1, phase: "started" });
  for (let word = 0; word < 2_000; word += 1) session.text(1, `word${word} `);
  session.endTurn(1);
  const rows = async (count: number): Promise<string[]> => {
    const { stdout } = await bench.run(["agent", "log", "sessiona", "-n", String(count)]);
    return lines(stdout).map((line) => line.slice(0, 65).trimEnd());
  };
  expect(await rows(1)).toEqual([expect.stringMatching(/^2003 .* turn +1 ended end_turn$/)]);
  expect((await rows(2))[0]).toMatch(/^ +3 .* agent +word0 word1 word2/);
  expect(await rows(9)).toHaveLength(4);
  const json = await bench.run(["agent", "log", "sessiona", "--tail", "2", "--json"]);
  expect(objects(json.stdout)).toEqual(session.entries.slice(-2));
});

test.each([
  ["1h30m", [3, 4]],
  ["2026-11-30T11:00:00Z", [3, 4]],
  ["3", [4]],
  ["1s", []],
  ["30d", [1, 2, 3, 4]],
])("--since %s prints the entries from then on", async (since, wanted) => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const now = since.endsWith("Z") ? Date.parse("2026-11-30T12:00:00Z") : Date.now();
  // Two hours ago, an hour ago, and a minute ago.
  for (const minutes of [120, 60, 1])
    session.append({ kind: "info", title: "t", at: new Date(now - minutes * 60_000).toISOString() } as EntryContent);
  session.entries[0] = { ...session.entries[0], at: new Date(now - 180 * 60_000).toISOString() } as Entry;
  const ran = await bench.run(["agent", "log", "sessiona", "--json", "--since", since]);
  expect(objects(ran.stdout).map(({ seq }) => seq)).toEqual(wanted);
});

test("what --since cannot be is a usage error that says what it can be", async () => {
  const ran = await bench.run(["agent", "log", "sessiona", "--since", "yesterday"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("1h30m") as string });
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
