// SPDX-License-Identifier: MIT OR Apache-2.0
// The client side of the official TypeScript SDK, used as its example client uses it. It ends the agent by SIGTERM.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  type ListSessionsResponse,
  methods,
  ndJsonStream,
  type PromptRequest,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import type { AnswerKind } from "../driver-protocol.ts";
import { agentWords, serveCommands, turnTeller } from "./channel.ts";

const [program, ...args] = agentWords;
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const cwd = process.cwd();
let answer: AnswerKind = "allow_once";
let session = "";

serveCommands((tell) => {
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const app = client({ name: "sdk-client" })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      tell({ event: "asked", kinds: options.map(({ kind }) => kind) });
      const optionId = options.find(({ kind }) => kind === answer)?.optionId ?? "";
      return { outcome: { outcome: "selected", optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await readFile(params.path, "utf8") }))
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      await writeFile(params.path, params.content);
      return {};
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        tell({ event: "said", text: update.content.text });
    });
  const agent = new Promise<ClientContext>((resolve, reject) => {
    const connected = app.connectWith(stream, async (context) => {
      const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true } };
      await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
      resolve(context);
      await once(child, "exit");
    });
    connected.catch(reject);
  });
  const turn = turnTeller(tell);
  const opened = (id: string): void => tell({ event: "opened", session: (session = id) });

  return {
    async open() {
      const { sessionId } = await (await agent).request(methods.agent.session.new, { cwd, mcpServers: [] });
      opened(sessionId);
    },
    async load({ session: sessionId }) {
      await (await agent).request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
      opened(sessionId);
    },
    prompt: ({ text, answer: wanted = "allow_once" }) =>
      turn(async () => {
        answer = wanted;
        const request: PromptRequest = { sessionId: session, prompt: [{ type: "text", text }] };
        return (await (await agent).request(methods.agent.session.prompt, request)).stopReason;
      }),
    cancel: async () => await (await agent).notify(methods.agent.session.cancel, { sessionId: session }),
    async list() {
      const { sessions }: ListSessionsResponse = await (await agent).request(methods.agent.session.list, { cwd });
      tell({ event: "listed", sessions: sessions.map(({ sessionId }) => sessionId) });
    },
    async mode({ value }) {
      await (await agent).request(methods.agent.session.setMode, { sessionId: session, modeId: value });
      tell({ event: "set" });
    },
    async option({ option, value }) {
      const change = { sessionId: session, configId: option, value };
      await (await agent).request(methods.agent.session.setConfigOption, change);
      tell({ event: "set" });
    },
    async end() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
});
