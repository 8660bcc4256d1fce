// SPDX-License-Identifier: MIT OR Apache-2.0
// The official SDK's client as one would write it: at each "flood" it prompts its agent, and counts what it is handed.
//   node sdk-client.mjs <agent command as JSON> <cwd> <updates> <UTF-16 units of all their texts>
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [commandText, cwd, updatesText, unitsText] = process.argv.slice(2);
const [program, ...args] = JSON.parse(commandText);
const updates = Number(updatesText);
const textUnits = Number(unitsText);

const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let flood;

await client({ name: "bench" })
  .onNotification(methods.client.session.update, ({ params }) => {
    const { content } = params.update;
    flood.updates += 1;
    flood.units += Array.isArray(content) ? content[0].newText.length : content.text.length;
    flood.last = performance.now();
  })
  .connectWith(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), async (context) => {
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd, mcpServers: [] });
    process.on("message", () => void run(context, sessionId));
    process.send({ ready: true });
    await new Promise((resolve) => process.on("disconnect", resolve));
  });
agent.kill();

async function run(context, sessionId) {
  flood = { started: performance.now(), last: 0, updates: 0, units: 0 };
  const prompt = [{ type: "text", text: "flood" }];
  const { stopReason } = await context.request(methods.agent.session.prompt, { sessionId, prompt });
  const whole = flood.updates === updates && flood.units === textUnits && stopReason === "end_turn";
  if (!whole) throw new Error(`${flood.updates} updates with ${flood.units} characters came, then ${stopReason}`);
  process.send({ ms: flood.last - flood.started });
}
