// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
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
