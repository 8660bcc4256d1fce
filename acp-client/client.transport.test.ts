// SPDX-License-Identifier: MIT OR Apache-2.0
// The client on real children and real pipes.
import { afterEach, expect, test } from "vitest";
import type { AgentOptions } from "./client.ts";
import { newSession, opened, story, underTest } from "./testing/client-under-test.ts";
import { realClient, type RealClient } from "./testing/real-client.ts";
import { program } from "./testing/scripts.ts";

const running: RealClient[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ client }) => client.stop()));
});

function start(command: readonly [string, ...string[]], options: Partial<AgentOptions> = {}): RealClient {
  const started = realClient(command, options);
  running.push(started);
  return started;
}

async function session(body: string, options: Partial<AgentOptions> = {}): Promise<RealClient> {
  const started = start(program(body), options);
  await started.ask((done) => started.client.initialize(done));
  expect(await started.ask((done) => started.client.open(newSession, done))).toMatchObject({ ok: true });
  return started;
}

const hi = [{ type: "text", text: "hi" }];

function texts({ events }: RealClient): unknown[] {
  return events.flatMap((event) =>
    event.type === "update" && event.update.kind === "message" ? event.update.content["text"] : [],
  );
}

test("a banner before and between messages is reported, bounded, and harmless", async () => {
  const agent = await session(`
    process.stdout.write("Welcome!\\n".repeat(11) + "x".repeat(300) + "\\n");
    on("session/prompt", (request) => {
      process.stdout.write("migrating db...\\n" + JSON.stringify(chunk("text")) + "\\nDEBUG x={} {}\\n");
      reply(request, { stopReason: "end_turn" });
    });`);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ ok: true });
  expect(texts(agent)).toEqual(["text"]);
  const faults = agent.events.flatMap((event) => (event.type === "fault" ? [event] : []));
  expect(new Set(faults.map(({ fault }) => fault))).toEqual(new Set(["noise"]));
  expect(faults.reduce((sum, { count }) => sum + count, 0)).toBe(14);
  for (const { sample } of faults) expect(sample?.length).toBeLessThanOrEqual(200);
});

test("a program that prints only noise is ended, and the failure names it", async () => {
  const agent = start([
    process.execPath,
    "-e",
    'process.stdout.write("noise\\n".repeat(20000)); setInterval(() => {}, 1e6)',
  ]);
  const answer = await agent.ask((done) => agent.client.initialize(done));
  expect(answer).toMatchObject({
    ok: false,
    failure: { code: "AGENT_PROTOCOL", message: expect.stringContaining("10000 lines") },
  });
  await agent.event(({ type }) => type === "exited");
});

test("characters cut in two, CRLF, blank lines and a last line without newline all arrive", async () => {
  const agent = await session(`
    on("session/prompt", async (request) => {
      const bytes = Buffer.from(JSON.stringify(chunk("a😀b")) + "\\r\\n\\r\\n");
      const cut = bytes.indexOf(0xf0) + 2;
      const write = (piece) => new Promise((resolve) => process.stdout.write(piece, resolve));
      await write(bytes.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      await write(bytes.subarray(cut));
      reply(request, { stopReason: "end_turn" });
      await write(JSON.stringify(chunk("last")));
      process.exit(0);
    });`);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ ok: true });
  await agent.event(({ type }) => type === "exited");
  expect(texts(agent)).toEqual(["a😀b", "last"]);
});

test.for([65_537, 1024 * 1024, 20 * 1024 * 1024])("a line with %i characters of text arrives", async (length) => {
  const agent = await session(`
    on("session/prompt", (request) => {
      process.stdout.write(JSON.stringify(chunk("x".repeat(${length}))) + "\\n");
      reply(request, { stopReason: "end_turn" });
    });`);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ ok: true });
  expect(texts(agent).map((text) => String(text).length)).toEqual([length]);
});

test("a line over the limit ends the agent, the failure names it, and earlier lines of the same write arrive", async () => {
  const agent = await session(
    `on("session/prompt", () => {
      process.stdout.write(JSON.stringify(chunk("before")) + "\\n" + "x".repeat(5000000) + "\\n");
    });`,
    { limits: { lineBytesMax: 1024 * 1024 } },
  );
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({
    ok: false,
    failure: { code: "AGENT_PROTOCOL", message: expect.stringContaining("more than 1048576 bytes") },
  });
  await agent.event(({ type }) => type === "exited");
  expect(texts(agent)).toEqual(["before"]);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({
    failure: { code: "AGENT_PROTOCOL" },
  });
});

test("invalid UTF-8, NUL and lone surrogates do not stop the reader", async () => {
  const agent = await session(`
    on("session/prompt", (request) => {
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
      process.stdout.write(JSON.stringify(chunk("BAD")).replace("BAD", "a\\\\u0000b\\\\ud800c") + "\\n");
      reply(request, { stopReason: "end_turn" });
    });`);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ ok: true });
  expect(texts(agent)).toEqual(["a\u0000b\ud800c"]);
});

test("when an agent exits in a turn, every pending request fails once before the exit event, which is the last", async () => {
  const agent = await session(`
    on("session/prompt", () => {
      on("session/prompt", () => {});
      process.stderr.write("fatal: out of luck\\n");
      process.stdout.write(JSON.stringify(chunk("half an answer")) + "\\n", () => process.exit(3));
    });`);
  agent.story.length = 0;
  const prompts = [hi, hi].map((blocks) => agent.ask((done) => agent.client.prompt(blocks, done)));
  const failure = { code: "AGENT_EXITED", exit: { code: 3 }, message: expect.stringContaining("out of luck") };
  expect(await Promise.all(prompts)).toMatchObject([{ failure }, { failure }]);
  expect(texts(agent)).toEqual(["half an answer"]);
  expect(agent.story.slice(-4)).toEqual(["done", "done", "exited", "batch end"]);
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ failure: { code: "AGENT_EXITED" } });
  expect(agent.events.filter(({ type }) => type === "exited")).toHaveLength(1);
});

test("writing much to an agent that has exited is a failure, not a crash", async () => {
  const agent = start(["true"]);
  const blocks = [{ type: "text", text: "x".repeat(1024 * 1024) }];
  const asked = [
    agent.ask((done) => agent.client.initialize(done)),
    agent.ask((done) => agent.client.open(newSession, done)),
    agent.ask((done) => agent.client.prompt(blocks, done)),
  ];
  for (const answer of await Promise.all(asked)) {
    expect(answer).toMatchObject({ ok: false, failure: { code: "AGENT_EXITED" } });
  }
});

test("a missing program is AGENT_UNAVAILABLE", async () => {
  const agent = start(["/nowhere/agent"]);
  expect(await agent.ask((done) => agent.client.initialize(done))).toMatchObject({
    failure: { code: "AGENT_UNAVAILABLE", exit: { spawnError: { code: "ENOENT" } } },
  });
});

test("stopping closes stdin first, and an agent that exits by itself is not killed", async () => {
  const agent = await session('process.stdin.on("end", () => process.exit(7));');
  expect(await agent.client.stop()).toMatchObject({ code: 7, signal: null });
  expect(agent.events.at(-1)).toMatchObject({ type: "exited", exit: { code: 7 } });
});

test("a flood on stderr is drained, its tail bounded and redacted, and never read as messages", async () => {
  const agent = await session(
    `on("session/prompt", (request) => {
      const line = "token=hunter2 " + JSON.stringify(chunk("not on stderr")) + "\\n";
      process.stderr.write(line.repeat(20000), () => reply(request, { stopReason: "end_turn" }));
    });`,
    { redact: (text) => text.replaceAll("hunter2", "***"), stderrBytesMax: 4096 },
  );
  expect(await agent.ask((done) => agent.client.prompt(hi, done))).toMatchObject({ ok: true });
  expect(texts(agent)).toEqual([]);
  const tail = agent.client.stderrTail();
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(4096);
  expect(tail).toContain("***");
  expect(tail).not.toContain("hunter2");
});

test("a pause neither loses nor reorders anything", async () => {
  const agent = await session(`
    on("session/prompt", (request) => {
      for (let i = 0; i < 5000; i += 1) process.stdout.write(JSON.stringify(chunk(String(i))) + "\\n");
      reply(request, { stopReason: "end_turn" });
    });`);
  agent.client.pause();
  const prompted = agent.ask((done) => agent.client.prompt(hi, done));
  agent.client.resume();
  expect(await prompted).toMatchObject({ ok: true });
  expect(texts(agent)).toEqual(Array.from({ length: 5000 }, (_, i) => String(i)));
});

test("pausing and resuming reach the process, and stopping resumes", async () => {
  const { agent, client } = opened();
  client.pause();
  client.resume();
  client.pause();
  await client.stop();
  expect(agent.calls).toEqual(["pause", "resume", "pause", "resume", "stop"]);
});

test("an agent that does not read its stdin is ended before our memory runs out", async () => {
  const { agent, client, done, outcomes, heard } = opened({}, {}, { limits: { writableBytesMax: 1000 } });
  agent.writableBytes = 1001;
  client.prompt(hi, done("prompt"));
  expect(outcomes("prompt")).toEqual([]);
  await Promise.resolve();
  expect(outcomes("prompt")).toMatchObject([
    { failure: { code: "AGENT_PROTOCOL", message: expect.stringContaining("does not read its stdin") } },
  ]);
  expect(agent.calls).toContain("stop");
  expect(story(heard)).toEqual(["fault", "broken", "done prompt", "|"]);
  await client.stop();
  expect(story(heard).slice(4)).toEqual(["exited", "|"]);
});

test(
  "an agent that closed its stdin and keeps running is ended at the next write, and its turn fails",
  { tags: "slow" },
  async () => {
    const agent = await session(`import { closeSync } from "node:fs";
  on("session/prompt", () => {
    process.stdin.destroy();
    closeSync(0); // Node itself leaves the standard streams open
    setInterval(() => {}, 1e6);
    process.stdout.write(JSON.stringify(chunk("deaf now")) + "\\n");
  });`);
    const prompted = agent.ask((done) => agent.client.prompt(hi, done));
    await agent.event((event) => event.type === "update");
    agent.client.cancel();
    const failure = { code: "AGENT_PROTOCOL", message: expect.stringContaining("closed its stdin") };
    expect(await prompted).toMatchObject({ ok: false, failure });
    expect(agent.events).toContainEqual(expect.objectContaining({ type: "fault", fault: "stdin-closed" }));
    await agent.event(({ type }) => type === "exited");
  },
);

test("a closed stdin is reported once, before pending requests fail", async () => {
  const { agent, client, done, heard } = opened();
  client.prompt(hi, done("prompt"));
  agent.loseStdin();
  agent.loseStdin();
  await Promise.resolve();
  expect(story(heard)).toEqual(["fault", "broken", "done prompt", "|"]);
  await client.stop();
});

test("when an agent exits before initialize is answered, waiting and later requests fail", async () => {
  const { agent, client, done, outcomes, heard } = underTest();
  client.open(newSession, done("open"));
  agent.exit({ code: 1, signal: null });
  client.initialize(done("initialize"));
  await Promise.resolve();
  await Promise.resolve();
  expect(outcomes("open")).toMatchObject([{ failure: { code: "AGENT_EXITED" } }]);
  expect(outcomes("initialize")).toMatchObject([{ failure: { code: "AGENT_EXITED" } }]);
  expect(story(heard)).toEqual(["done open", "exited", "|", "done initialize", "|"]);
});

test("faults of one kind in one read are one event with a count, at the end of the batch", () => {
  const { agent, heard } = opened();
  agent.sayRaw("noise\nmore noise\n[]\nnoise\n");
  expect(heard).toMatchObject([
    { event: { type: "fault", fault: "noise", count: 3, sample: "noise" } },
    { event: { type: "fault", fault: "batch", count: 1, sample: "[]" } },
    "batch end",
  ]);
});

test("a read that brings no events is not a batch", () => {
  const { agent, heard } = opened();
  agent.sayRaw('{"jsonrpc":"2.0","method":"session/upd');
  expect(heard).toEqual([]);
});
