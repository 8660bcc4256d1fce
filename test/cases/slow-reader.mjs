// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows the topic in a process of its own, so that a test can stop it: node slow-reader.mjs <url of the Bus>
import { writeSync } from "node:fs";
import { BusClient } from "../../dist/bus-client/index.js";

const client = new BusClient({ url: process.argv[2] });
await client.connect();
await client.subscribe("agent.session.updated", ({ body }) => {
  const publication = JSON.parse(body);
  // A plan has `entries` too: only `seq_from` tells that several were committed together.
  const entries = "seq_from" in publication ? publication.entries : [publication];
  for (const { seq } of entries) writeSync(1, `${seq}\n`);
});
writeSync(1, "ready\n");
