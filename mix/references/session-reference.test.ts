// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { says } from "../testing/words.ts";

let bench: Bench;
let here: string;
beforeEach(async () => {
  bench = await Bench.create();
  here = realpathSync(bench.directory);
});
afterEach(() => bench.close());

test("without a session, verbs take the only live one of this directory and say so on stderr", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here }).append({ kind: "state", state: "idle" });
  agentd.begin("sessionbbbba", { agent: "demo", cwd: "/tmp/elsewhere" });
  agentd.begin("sessionccccc", { agent: "demo", cwd: here }).append({ kind: "state", state: "closed" });
  const taken = "session sessionaaaaa (demo, idle), the only live one in ~\n";
  expect(await bench.run(["agent", "show"])).toMatchObject({ code: 0, stderr: taken });
  expect((await bench.run(["agent", "send", "two words"])).stderr).toContain(taken);
  expect(agentd.asked).toContainEqual([
    "agent.session.prompt",
    { session: "sessionaaaaa", prompt: "two words", when_busy: "refuse" },
  ]);
  expect(await bench.run(["agent", "set", "mode=plan", "-q"])).toMatchObject({ code: 0, stderr: "" });
  expect(agentd.asked).toContainEqual([
    "agent.session.set_config",
    { session: "sessionaaaaa", option: "mode", value: "plan" },
  ]);
  for (const verb of ["cancel", "log", "export", "wait", "close"]) {
    const ran = await bench.run(["agent", verb]);
    expect([verb, ran.code, ran.stderr.startsWith(taken)]).toEqual([verb, 0, true]);
  }
});

test("a directory within a git repository means the session at its root; another directory does not", async () => {
  const agentd = await bench.agentd();
  const deep = join(here, "repository/src/deep");
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(here, "repository/.git"));
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here });
  expect((await bench.run(["agent", "show"], { cwd: deep })).code).toBe(4);
  agentd.begin("sessionbbbba", { agent: "demo", cwd: join(here, "repository") });
  expect((await bench.run(["agent", "show", "-q"], { cwd: deep })).stdout).toBe("sessionbbbba\n");
  agentd.begin("sessionccccc", { agent: "demo", cwd: join(here, "repository/src") });
  expect((await bench.run(["agent", "show", "-q"], { cwd: deep })).stdout).toBe("sessionccccc\n");
});

test("several sessions here, or none, are an error that lists what there is", async () => {
  const agentd = await bench.agentd();
  const nothing = await bench.run(["agent", "cancel"]);
  expect(nothing).toMatchObject({ code: 4, stdout: "" });
  expect(nothing.stderr).toContain("`mix agent start <agent>`");
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: "/tmp/elsewhere", name: "far" });
  expect((await bench.run(["agent", "cancel"])).stderr).toMatch(
    /^SESSION_UNKNOWN: no live session has this directory, ~; name one:\n {2}sessionaaaaa {2}far {2}demo {2}starting\n/,
  );
  agentd.begin("sessionbbbba", { agent: "demo", cwd: here });
  agentd.begin("sessionccccc", { agent: "demo", cwd: here, name: "near" });
  const several = await bench.run(["agent", "send", "hello"]);
  expect(several.code).toBe(2);
  expect(several.stderr).toMatch(/^USAGE: 2 live sessions have .*\n {2}sessionbbbba.*\n {2}sessionccccc {2}near/);
  expect(agentd.asked.map(([verb]) => verb)).not.toContain("agent.session.prompt");
});

test("a session that an agent started beside its own does not make it unclear which is meant", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here });
  agentd.begin("sessionbbbba", { agent: "demo", cwd: here }).shown = { parent: "sessionaaaaa" };
  expect((await bench.run(["agent", "show", "-q"])).stdout).toBe("sessionaaaaa\n");
});

test("verbs that read fall back to the latest ended session, and resume takes it", async () => {
  const resumed = { rc: 0, body: JSON.stringify({ session: "sessionaaaaa", seq: 1, state: "starting" }) };
  const agentd = await bench.agentd({ replies: { "agent.session.resume": resumed } });
  const session = agentd.begin("sessionaaaaa", { agent: "demo", cwd: here });
  session.append({ kind: "state", state: "closed" });
  expect((await bench.run(["agent", "log"])).stderr).toBe(
    "session sessionaaaaa (demo, closed), the latest ended one in ~\n",
  );
  expect((await bench.run(["agent", "cancel"])).code).toBe(4);
  await bench.run(["agent", "resume"]);
  expect(agentd.asked).toContainEqual(["agent.session.resume", { session: "sessionaaaaa", fresh: false }]);
});

test("- is the session that was used last, by its id; an agent's commands neither change nor use it", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  const never = await bench.run(["agent", "show", "-"]);
  expect(never).toMatchObject({ code: 2, stderr: expect.stringContaining("no session was used yet") });
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: "/tmp/a", name: "mine" });
  agentd.begin("sessionbbbba", { agent: "demo", cwd: "/tmp/b" });
  await bench.run(["agent", "show", "mine"]);
  const ofAgent = { env: { AGENTD_SESSION: "logloglogaaa/sessionbbbba" } };
  await bench.run(["agent", "show", "sessionbbbba"], ofAgent);
  expect((await bench.run(["agent", "show", "-"], ofAgent)).code).toBe(2);
  expect(await bench.run(["agent", "show", "-"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("sessionaaaaa"),
    stderr: "session sessionaaaaa, the last one used\n",
  });
  await bench.run(["agent", "send", "-", "again"]);
  expect(agentd.asked).toContainEqual([
    "agent.session.prompt",
    { session: "sessionaaaaa", prompt: "again", when_busy: "refuse" },
  ]);
  await bench.run(["agent", "start", "demo"]);
  const file = join(bench.directory, ".local/state/agentd/mix-last-session");
  expect(readFileSync(file, "utf8")).toBe("sessionaaaca\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("one word after send is the prompt, unless it names a session: then the prompt was forgotten", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here, name: "main" });
  for (const word of ["main", "sessionaaaaa", "sess"]) {
    const ran = await bench.run(["agent", "send", word]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${word} is a session, and its prompt is`) });
  }
  expect((await bench.run(["agent", "send"])).stderr).toContain("<prompt> is missing");
  expect((await bench.run(["agent", "send", "continue"])).code).toBe(0);
  expect((await bench.run(["agent", "send", "-"], { stdin: "from stdin" })).code).toBe(0);
  const prompts = agentd.asked.filter(([verb]) => verb === "agent.session.prompt").map(([, { prompt }]) => prompt);
  expect(prompts).toEqual(["continue", "from stdin"]);
});

test("purge takes a session only by its name or id", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here }).append({ kind: "state", state: "closed" });
  await bench.run(["agent", "show", "sessionaaaaa"]);
  expect((await bench.run(["agent", "purge"])).code).toBe(2);
  expect((await bench.run(["agent", "purge", "-"])).code).toBe(2);
  expect((await bench.run(["agent", "redact", "--session", "-"], { stdin: "secret-text" })).code).toBe(2);
  expect(agentd.asked.map(([verb]) => verb)).not.toContain("agent.session.purge");
});

test("a mistyped session is guessed at", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here, name: "worker" });
  const ran = await bench.run(["agent", "show", "wroker"]);
  expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("did you mean worker?") });
});

test("send takes the only ended session of this directory if none is live, and guesses among no several", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: here }).append({ kind: "state", state: "closed" });
  const { stderr } = await bench.run(["agent", "send", "go on"]);
  expect(stderr).toContain("session sessionaaaaa (demo, closed), the only ended one in ~\n");
  const asked = agentd.asked.filter(([verb]) => verb === "agent.session.prompt").map(([, { session }]) => session);
  expect(new Set(asked)).toEqual(new Set(["sessionaaaaa"]));
  agentd.session("sessionaaaaa").append({ kind: "state", state: "closed" });
  agentd.begin("sessionbbbba", { agent: "demo", cwd: here }).append({ kind: "state", state: "closed" });
  expect(await bench.run(["agent", "send", "go on"])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/several ended ones do; name one of them:\n {2}session(aaaaa|bbbba)/),
  });
});
