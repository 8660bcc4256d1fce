// SPDX-License-Identifier: MIT OR Apache-2.0
import { realpathSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import type { ScriptedAgentd } from "../testing/scripted-agentd.ts";

let bench: Bench;
let agentd: ScriptedAgentd;
beforeEach(async () => {
  bench = await Bench.create();
  agentd = await bench.agentd();
});
afterEach(() => bench.close());

function begin(id: string, cwd: string, name?: string) {
  return agentd.begin(id, { agent: "demo", cwd, ...(name === undefined ? {} : { name }) });
}

const idOf = async (...words: string[]) => (await bench.run(["agent", "permit", "show", ...words, "-q"])).stdout.trim();

test("a request is found by its number, by any reference to its session, and alone where it is the only one", async () => {
  begin("aaaaaaaaaaaa", "/tmp/a", "main").ask(1, 1);
  expect(await idOf()).toBe("aaaaaaaaaaaa-1");
  begin("bbbbbbbbbbbb", "/tmp/b").ask(1, 2);
  for (const word of ["aaaaaaaaaaaa-1", "aaa-1", "main-1", "1", "aaa", "main"])
    expect(await idOf(word)).toBe("aaaaaaaaaaaa-1");
  expect(await idOf("2")).toBe("bbbbbbbbbbbb-2");
});

test("of several, the only one of this directory is taken; otherwise they are listed and nothing is answered", async () => {
  begin("aaaaaaaaaaaa", "/tmp/a").ask(1, 1);
  const here = begin("bbbbbbbbbbbb", realpathSync(bench.directory));
  const before = await bench.run(["agent", "permit", "allow", "zzz-1"]);
  expect(before).toMatchObject({ code: 4, stderr: expect.stringContaining("REQUEST_UNKNOWN") });
  here.ask(1, 1);
  expect(await idOf()).toBe("bbbbbbbbbbbb-1");
  expect(await idOf("1")).toBe("bbbbbbbbbbbb-1");
  here.ask(1, 2);
  const ran = await bench.run(["agent", "permit", "allow"]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(/3 permissions are open; name one:\n {2}aaaaaaaaaaaa-1 {2}edit Write a.txt\n {2}bbbb/);
  expect(agentd.asked.map(([verb]) => verb)).not.toContain("agent.permission.answer");
});

test("an answer is one line on stdout, a document with --json and the id with -q", async () => {
  const session = begin("aaaaaaaaaaaa", "/tmp/a");
  for (const number of [1, 2, 3]) session.ask(1, number);
  session.askForm(1, 4);
  session.askForm(1, 5);
  expect((await bench.run(["agent", "permit", "allow", "a-1"])).stdout).toBe(
    "aaaaaaaaaaaa-1 allowed: edit Write a.txt\n",
  );
  expect((await bench.run(["agent", "permit", "deny", "2"])).stdout).toBe("aaaaaaaaaaaa-2 denied: edit Write a.txt\n");
  expect((await bench.run(["agent", "permit", "allow", "-q"])).stdout).toBe("aaaaaaaaaaaa-3\n");
  expect((await bench.run(["agent", "answer", "a-4", "name=Ann"])).stdout).toBe("aaaaaaaaaaaa-4 accepted\n");
  const json = await bench.run(["agent", "answer", "--decline", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ request: "aaaaaaaaaaaa-5", outcome: "decline" });
});

test("a form's fields alone answer the only one that is open", async () => {
  begin("aaaaaaaaaaaa", "/tmp/a").askForm(1, 1);
  expect((await bench.run(["agent", "answer", "name=Ann", "age=3"])).stdout).toBe("aaaaaaaaaaaa-1 accepted\n");
  expect(agentd.asked).toContainEqual([
    "agent.elicitation.answer",
    { request: "aaaaaaaaaaaa-1", action: "accept", content: { name: "Ann", age: 3 } },
  ]);
});

test.each(["y", "n"])(
  "on a terminal a request that was not named whole is shown before it is allowed: %s",
  async (key) => {
    begin("aaaaaaaaaaaa", "/tmp/a").ask(1, 1);
    const running = bench.start(["agent", "permit", "allow", "1"], { tty: true });
    await running.shows("allow it? [y/N] ");
    running.type(`${key}\n`);
    const ran = await running.ended;
    expect(ran.stdout).toContain("? allow: Write a.txt (edit)");
    expect(ran.code).toBe(key === "y" ? 0 : 5);
    expect(agentd.asked.some(([verb]) => verb === "agent.permission.answer")).toBe(key === "y");
  },
);
