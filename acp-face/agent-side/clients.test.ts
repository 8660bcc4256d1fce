// SPDX-License-Identifier: MIT OR Apache-2.0
// The agent's side with our own client, and with the official SDK's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { client as sdkClient, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { newSession } from "../../acp-client/testing/client-under-test.ts";
import { realClient } from "../../acp-client/testing/real-client.ts";
import { agentCommand } from "./testing/raw-client.ts";

const say = (text: string) => [{ type: "text", text }] as const;

test("our own client: capabilities, options, a turn, a permission, a failure, a cancel and the end", async () => {
  const { client, ask, events, event } = realClient(agentCommand);
  expect(await ask((done) => client.initialize(done))).toMatchObject({
    value: { info: { name: "tested" }, capabilities: { load: true, close: true, resume: false, promptImage: true } },
  });
  expect(await ask((done) => client.open({ ...newSession, cwd: "/" }, done))).toMatchObject({
    value: { options: [{ option: "loud", type: "boolean", value: true }] },
  });
  expect(await ask((done) => client.prompt(say("say hello"), done))).toMatchObject({
    value: { stopReason: "end_turn" },
  });
  expect(events.at(-1)).toMatchObject({ update: { kind: "message", content: { text: "hello" } } });

  const turn = ask((done) => client.prompt(say("permission"), done));
  const asked = await event(({ type }) => type === "permission");
  client.answer("request" in asked ? asked.request : 0, { outcome: "selected", option: "no" });
  await turn;
  expect(events.at(-1)).toMatchObject({ update: { content: { text: '{"outcome":"selected","option":"no"}' } } });

  expect(await ask((done) => client.prompt(say("fail"), done))).toMatchObject({ failure: { rpc: { code: -32603 } } });
  const waiting = ask((done) => client.prompt(say("wait"), done));
  await event((one) => one.type === "update" && JSON.stringify(one.update).includes("waiting"));
  client.cancel();
  expect(await waiting).toMatchObject({ value: { stopReason: "cancelled" } });
  expect(events.filter(({ type }) => type === "fault")).toEqual([]);
  expect(await client.stop()).toEqual({ code: 0, signal: null });
});

test("the official SDK's client: a turn, a file, a form, a failure, a cancel and the end", async () => {
  const [program, ...args] = agentCommand;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const texts: unknown[] = [];
  const app = sdkClient({ name: "test" })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: `read ${params.path}` }))
    .onRequest(methods.client.elicitation.create, () => ({ action: "decline" }))
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if ("content" in update) texts.push((update.content as { text?: string }).text);
    });
  await app.connectWith(stream, async (agent) => {
    const clientCapabilities = { fs: { readTextFile: true }, elicitation: { form: {} } };
    await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    const prompt = (text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    expect(await prompt("say hello")).toMatchObject({ stopReason: "end_turn" });
    await prompt("fs/read_text_file /a");
    await prompt("form");
    await expect(prompt("fail")).rejects.toThrow("it broke");
    const waiting = prompt("wait");
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await waiting).toMatchObject({ stopReason: "cancelled" });
    expect(await agent.request(methods.agent.session.list, {})).toMatchObject({ nextCursor: "more" });
    expect(await agent.request(methods.agent.session.close, { sessionId })).toEqual({});
  });
  expect(texts).toEqual(["hello", '{"content":"read /a"}', '{"outcome":"decline"}', "waiting"]);
  child.stdin.end();
  if (child.exitCode === null) await once(child, "exit");
  expect(child.exitCode).toBe(0);
});
