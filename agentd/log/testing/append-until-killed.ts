// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs as a process of its own that appends to the log at argv[2] until it is killed. Prints the last seq of each
// acknowledged batch: every printed seq must be in the file.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import type { EntryContent } from "../../vocabulary/index.ts";
import { openLog } from "../open.ts";

const [, , file = "", session = ""] = process.argv;
const log = openLog({ file, clock: Date, random: randomBytes });
const entry: EntryContent = {
  kind: "message",
  role: "agent",
  message_id: "m",
  content: { type: "text", text: "x".repeat(400) },
};

for (let seq = 0, round = 1; ; round += 1) {
  const entries = Array.from({ length: 1 + (round % 17) }, () => entry);
  seq = log.append([{ session, expectSeq: seq, entries }])[0]!.seq;
  writeSync(1, `${seq}\n`);
}
