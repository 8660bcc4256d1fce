// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { objects, says } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("start shows the turn on stdout and messages about it on stderr, and exits 0", async () => {
  await bench.agentd({ onPrompt: says("Hello there.\n") });
  const ran = await bench.run(["agent", "start", "demo", "say", "hello"]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain("● demo 1 is ready");
  expect(ran.stdout).toContain("Hello there.\n");
  expect(ran.stdout).toContain("✔ turn 1 done");
  expect(ran.stdout).not.toContain("mix agent");
  expect(ran.stderr).toBe('session sessionaaaaa (demo)\nto go on: mix agent send sessionaaaaa "…"\n');
});

test("several words are one prompt, and the session gets the caller's directory, except for the demo", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  await bench.run(["agent", "start", "demo", "say", "hello"], { cwd: "/tmp" });
  await bench.run(["agent", "start", "mine", "x"], { cwd: "/tmp" });
  const starts = agentd.asked.filter(([verb]) => verb === "agent.session.start").map(([, args]) => args);
  expect(starts[0]).toEqual({ agent: "demo", additional_dirs: [], config: {}, env: [], prompt: "say hello" });
  expect(starts[1]).toMatchObject({ agent: "mine", cwd: "/tmp" });
});

test("every flag of start is sent as its argument", async () => {
  const agentd = await bench.agentd();
  const flags = [
    "--cwd",
    "sub",
    "--add-dir",
    "/a",
    "--add-dir",
    "b",
    "--name",
    "n",
    "--set",
    "mode=plan",
    "--set",
    "loud=true",
  ];
  const more = ["--env", "GH_TOKEN", "--policy", "reading", "--id", "c1", "-d"];
  const ran = await bench.run(["agent", "start", "demo", ...flags, ...more], { cwd: "/tmp" });
  expect(ran).toMatchObject({ code: 0, stdout: "sessionaaaaa\n", stderr: "" });
  expect(agentd.asked[0]?.[1]).toEqual({
    agent: "demo",
    cwd: "/tmp/sub",
    additional_dirs: ["/a", "/tmp/b"],
    name: "n",
    config: { mode: "plan", loud: true },
    env: ["GH_TOKEN"],
    policy: "reading",
    command_id: "c1",
  });
});

test("a prompt of - is read from stdin", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  await bench.run(["agent", "start", "demo", "-"], { stdin: "line one\nline two\n" });
  expect(agentd.asked[0]?.[1]).toMatchObject({ prompt: "line one\nline two\n" });
});

test("an empty prompt is a usage error, and nothing is sent", async () => {
  const agentd = await bench.agentd();
  expect((await bench.run(["agent", "start", "demo", "-"], { stdin: " \n" })).code).toBe(2);
  expect((await bench.run(["agent", "send", " "])).code).toBe(2);
  expect(agentd.asked).toEqual([]);
});

test("start without a prompt ends when the agent is ready", async () => {
  await bench.agentd();
  expect((await bench.run(["agent", "start", "demo"])).code).toBe(0);
});

test("start --close closes the session after its turn and shows that it is closed", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  const ran = await bench.run(["agent", "start", "demo", "x", "--close"]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain("● session closed");
  expect(agentd.session("sessionaaaaa").state).toBe("closed");
});

test("start does not say how to continue a session that was closed meanwhile", async () => {
  await bench.agentd({
    onPrompt: (session, turn) => {
      session.endTurn(turn, "cancelled");
      session.append({ kind: "state", state: "closing", reason: "asked" });
    },
  });
  expect((await bench.run(["agent", "start", "demo", "x"])).stderr).not.toContain("continue:");
});

test("start --json prints every entry unchanged, one object per line, and nothing else on stdout", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  const ran = await bench.run(["agent", "start", "demo", "x", "--json"]);
  const entries = agentd.session("sessionaaaaa").entries;
  expect(objects(ran.stdout)).toEqual(entries.slice(0, objects(ran.stdout).length));
  expect(objects(ran.stdout).at(-1)).toMatchObject({ kind: "turn", phase: "ended" });
});

test("--command names an agent that is not configured, as the caller's shell would find its program", async () => {
  const agentd = await bench.agentd();
  const start = async (line: string, ...more: string[]) => {
    await bench.run(["agent", "start", "-d", "--command", line, ...more], { cwd: "/tmp", env: { PATH: "/none:/bin" } });
    return agentd.asked.at(-1)?.[1];
  };
  expect(await start("./my-agent --acp 'a b' \"c d\"", "fix", "it")).toMatchObject({
    agent: "my-agent",
    command: ["/tmp/my-agent", "--acp", "a b", "c d"],
    cwd: "/tmp",
    prompt: "fix it",
  });
  expect(await start("sh -c x", "go")).toMatchObject({ agent: "sh", command: ["/bin/sh", "-c", "x"] });
  expect(await start("../x/demo", "go")).toMatchObject({ agent: "demo", command: ["/x/demo"], cwd: "/tmp" });
  expect(await start("nowhere-at-all", "go")).toMatchObject({ command: ["nowhere-at-all"] });
  for (const [line, why] of [
    ["''", "names no program"],
    ["a 'b", "a quote is not closed"],
  ] as const) {
    const ran = await bench.run(["agent", "start", "--command", line, "go"]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
  }
});
