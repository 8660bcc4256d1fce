// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TurnEntry } from "../../agentd/vocabulary/entries.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { says } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("send shows only its own turn", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.text(turn - 1, "of the turn before");
      says("of my turn")(session, turn);
    },
  });
  agentd.begin("sessionzzzza").turns = 4;
  const ran = await bench.run(["agent", "send", "sessionz", "go", "--queue"]);
  expect(ran.stdout).toContain("of my turn");
  expect(ran.stdout).not.toContain("of the turn before");
  expect(agentd.asked[0]).toEqual(["agent.session.prompt", { session: "sessionz", prompt: "go", when_busy: "queue" }]);
});

test("send, attach and start show paths relative to the session's directory", async () => {
  const content = [{ type: "diff", path: "/tmp/fresh/a.txt", oldText: null, newText: "a\n" }];
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.append({ kind: "tool_call", turn, tool_call_id: "t", title: "Write", status: "pending", content });
      session.endTurn(turn);
    },
  });
  const session = agentd.begin("sessionzzzza");
  expect((await bench.run(["agent", "send", "sessionz", "go"])).stdout).toContain("\n  a.txt (new)\n");
  session.append({ kind: "state", state: "closed" });
  expect((await bench.run(["agent", "attach", "sessionz"])).stdout).toContain("\n  a.txt (new)\n");
});

test("send names the next step after a turn that was cancelled or ended the session, and after no other", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      if (turn === 1) return session.endTurn(turn);
      session.endTurn(turn, turn === 2 ? "cancelled" : "failed");
      if (turn > 2) session.append({ kind: "state", state: "lost" });
    },
  });
  const session = agentd.begin("sessionzzzza");
  const send = async () => (await bench.run(["agent", "send", "sessionz", "go"])).stderr;
  expect(await send()).toBe("");
  expect(await send()).toMatch(/\nto go on: mix agent send sessionzzzza "…"\n$/);
  session.shown = { agent_session_id: "a", capabilities: { load: true } };
  expect(await send()).toMatch(/\nto come back: mix agent send sessionzzzza "…"\n$/);
});

test("send --no-wait prints the turn and does not follow it", async () => {
  (await bench.agentd()).begin("sessionzzzza");
  expect(await bench.run(["agent", "send", "sessionz", "go", "--no-wait"])).toEqual({
    code: 0,
    stdout: "turn 1 of sessionzzzza runs\n",
    stderr: "to watch: mix agent attach sessionzzzza\n",
  });
  expect(await bench.run(["agent", "send", "sessionz", "go", "--no-wait", "-q"])).toMatchObject({ stdout: "2\n" });
});

test("the error for an unreadable prompt file names the file in plain words", async () => {
  const missing = `${bench.directory}/no-prompt`;
  const send = (file: string) => bench.run(["agent", "send", "sessionz", "--file", file]);
  expect(await send(missing)).toEqual({ code: 2, stdout: "", stderr: `USAGE: --file: ${missing} does not exist\n` });
  expect((await send(bench.directory)).stderr).toContain("is a directory");
  const file = `${bench.directory}/prompt`;
  writeFileSync(file, Buffer.from([0x61, 0xff, 0x62]));
  expect((await send(file)).stderr).toBe(`USAGE: ${file} is not UTF-8 text\n`);

  writeFileSync(file, Buffer.from("\ufeffgo", "utf16le"));
  expect((await send(file)).stderr).toContain(`USAGE: ${file} is UTF-16`);

  writeFileSync(file, "\ufeff");
  expect((await send(file)).stderr).toBe("USAGE: the prompt is empty\n");
  // A quote has two bytes as JSON, and agentd accepts 6 MiB at most.
  writeFileSync(file, '"'.repeat(3 * 1024 * 1024));
  expect(await send(file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("6291456 bytes as JSON"),
  });
});

test.each<[Partial<TurnEntry>, string, number]>([
  [
    { phase: "ended", stop_reason: "steered", sent: true, steering: "injected", into: 1 },
    "turn 1 has taken the prompt in",
    1,
  ],
  [{ phase: "queued", steering: "promptRequired" }, "no turn was running any more: the prompt is turn 2", 2],
  [{ phase: "queued", steering: "failed" }, "the agent could not take the prompt into its turn: it waits as turn 2", 2],
  [
    { phase: "ended", stop_reason: "steered", sent: true, steering: "startedNewTurn" },
    "the agent has begun a turn of its own with the prompt",
    0,
  ],
])("send --steer says what became of the prompt, and follows the turn that has it: %j", async (entry, words, turn) => {
  const body = { session: "sessionzzzza", seq: 4, turn: 2, queued: true, steering: true };
  const agentd = await bench.agentd({ replies: { "agent.session.prompt": { rc: 0, body: JSON.stringify(body) } } });
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  session.text(1, "before");
  session.append({ kind: "command", verb: "agent.session.prompt", by: null, origin: "local", args: {} });
  session.append({ kind: "turn", turn: 2, phase: "queued", steering: "asked" });
  session.append({ kind: "turn", turn: 2, phase: "queued", ...entry });
  for (const one of [1, 2]) session.text(one, `of turn ${one}`);
  for (const one of [1, 2]) session.endTurn(one);
  const args = ["agent", "send", "sessionz", "--id", "once", "look here"];
  const ran = await bench.run([...args, "--steer"]);
  expect(agentd.asked[0]?.[1]).toMatchObject({ when_busy: "steer", command_id: "once" });
  expect(ran.stderr).toContain(words);
  expect([ran.code, ran.stdout.match(/of turn \d/g)]).toEqual([0, turn === 0 ? null : [`of turn ${turn}`]]);
  // A retry is told the same, whatever has happened since.
  expect((await bench.run([...args, "--steer", "--no-wait"])).stdout).toContain(words);
  const json = await bench.run([...args, "--steer", "--no-wait", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ turn: 2, steered: entry.steering });
  expect((await bench.run([...args, "--steer", "--queue"])).code).toBe(2);
});

test("send --steer says that the prompt is queued if the agent takes none into its turn", async () => {
  const body = { session: "sessionzzzza", seq: 2, turn: 2, queued: true, steering: false };
  const agentd = await bench.agentd({ replies: { "agent.session.prompt": { rc: 0, body: JSON.stringify(body) } } });
  const session = agentd.begin("sessionzzzza");
  session.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "turn", turn: 2, phase: "queued" });
  session.endTurn(2);
  const ran = await bench.run(["agent", "send", "sessionz", "look here", "--steer"]);
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringMatching(/turn 2 of \S+ is queued: \S+ cannot be steered now/),
  ]);
});
