// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent that answers each prompt with 200 chunks, one every 10 ms. Each is the time at which it is written, by the
// monotonic clock, which all processes share.
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const chunks = 200;
const pauseMs = 10;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") write({ id, result: { sessionId: "paced" } });
  else if (method === "session/prompt") void talk(id);
  else if (id !== undefined) write({ id, error: { code: -32601, message: `There is no method ${method}` } });
}

async function talk(id) {
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    await setTimeout(pauseMs);
    const content = { type: "text", text: `${process.hrtime.bigint()} ` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    write({ method: "session/update", params: { sessionId: "paced", update } });
  }
  write({ id, result: { stopReason: "end_turn" } });
}
