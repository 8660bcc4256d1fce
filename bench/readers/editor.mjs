// SPDX-License-Identifier: MIT OR Apache-2.0
// An editor with the official SDK's client. At "flood" it prompts its agent and waits until it has all of the text, in
// however many updates; at "pace" it prompts the paced agent, and takes the time of each update.
//   node editor.mjs <agent command as JSON> <cwd> <UTF-16 units of a flood's text>
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [commandText, cwd, unitsText] = process.argv.slice(2);
const [program, ...args] = JSON.parse(commandText);
const textUnits = Number(unitsText);

const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let onText;

await client({ name: "bench" })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk") onText(update.content.text);
  })
  .connectWith(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), async (context) => {
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const turn = (text) =>
      context.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    const run = async (job) => process.send({ ms: await { flood, pace }[job](turn) });
    process.on("message", (job) => void run(job));
    process.send({ ready: true });
    await new Promise((resolve) => process.on("disconnect", resolve));
  });
agent.kill();

async function flood(turn) {
  let units = 0;
  let last = 0;
  onText = (text) => {
    units += text.length;
    last = performance.now();
  };
  const started = performance.now();
  const { stopReason } = await turn("flood");
  if (units !== textUnits || stopReason !== "end_turn") throw new Error(`${units} characters came, then ${stopReason}`);
  return last - started;
}

async function pace(turn) {
  const delays = [];
  onText = (text) => {
    // Chunks that were joined on the way came together: the first of them has waited longest.
    const [written] = text.split(" ");
    delays.push(Number(process.hrtime.bigint() - BigInt(written)) / 1e6);
  };
  await turn("pace");
  return delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)];
}
