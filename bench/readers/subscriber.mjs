// SPDX-License-Identifier: MIT OR Apache-2.0
// Somebody on the Bus who starts one session, and at each "flood" prompts it and receives every update of the turn.
//   node subscriber.mjs <bus url> <agent> <cwd> <updates> <UTF-16 units of all their texts>
import { BusClient } from "../../dist/bus-client/index.js";
import { topic } from "../../dist/agentd/vocabulary/index.js";

const [url, agent, cwd, updatesText, unitsText] = process.argv.slice(2);
const updates = Number(updatesText);
const textUnits = Number(unitsText);

const client = new BusClient({ url });
let lastSeq = 0;
/** What the flood that runs has brought so far; `told` once its turn has ended. */
let flood;

await client.connect();
await client.subscribe(topic, ({ body }) => {
  const publication = JSON.parse(body);
  for (const entry of publication.entries ?? [publication]) receive(entry);
});
const { session } = await call("agent.session.start", { agent, cwd });
await call("agent.session.wait", { session, until: ["idle"] });

process.on("message", () => {
  flood = { started: performance.now(), last: 0, updates: 0, units: 0 };
  void call("agent.session.prompt", { session, prompt: "flood" });
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

function receive(entry) {
  if (entry.seq !== lastSeq + 1) throw new Error(`entry ${entry.seq} came after entry ${lastSeq}`);
  lastSeq = entry.seq;
  if (entry.truncated) throw new Error(`entry ${entry.seq} came without its text`);
  switch (entry.kind) {
    case "message":
      if (entry.role === "agent") note(entry.chunks ?? 1, entry.content.text.length);
      return;
    case "tool_call":
      if (entry.content) note(1, entry.content[0].newText.length);
      return;
    case "turn":
      if (entry.phase === "ended") report(entry);
  }
}

function note(count, units) {
  flood.updates += count;
  flood.units += units;
  flood.last = performance.now();
}

function report({ stop_reason }) {
  const whole = flood.updates === updates && flood.units === textUnits && stop_reason === "end_turn";
  if (!whole) throw new Error(`${flood.updates} updates with ${flood.units} characters came, then ${stop_reason}`);
  process.send({ ms: flood.last - flood.started });
}

async function call(verb, args) {
  const { rc, body } = await client.call("agent", verb, args);
  if (rc !== 0) throw new Error(`${verb}: ${body}`);
  return JSON.parse(body);
}
