// SPDX-License-Identifier: MIT OR Apache-2.0
// A follower in a process of its own, so that it can be stopped: node --import tsx follower.ts <url of the Bus> <session>
// Prints "following", then of each entry its seq and the SHA-256 of its JSON, one a line.
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { BusClient, systemClock } from "../../bus-client/index.ts";
import { busSource } from "../../agent-client/entries/bus-source.ts";
import { follow, positionAfter } from "../../agent-client/entries/follow.ts";

const [, , url = "", session = ""] = process.argv;
const client = new BusClient({ url });
await client.connect();
const reader = new BusClient({ url });
await reader.connect();
const source = await busSource({ client, reader: () => Promise.resolve(reader) });
const entries = follow({
  source,
  session,
  position: positionAfter(0, session),
  ...systemClock,
});
for await (const entry of entries) {
  if (entry.seq === 1) writeSync(1, "following\n");
  writeSync(1, `${entry.seq} ${createHash("sha256").update(JSON.stringify(entry)).digest("hex")}\n`);
}
