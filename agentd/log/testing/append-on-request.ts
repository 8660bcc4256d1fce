// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs as a process of its own with the log at argv[2]. Each line on stdin is a request, answered by a line on stdout:
// `append SESSION COUNT` by the last seq, `read SESSION` by the number of entries, and both by a LogError's code.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { EntryContent } from "../../vocabulary/index.ts";
import { LogError } from "../log-error.ts";
import { openLog } from "../open.ts";

const log = openLog({ file: process.argv[2] ?? "", clock: Date, random: randomBytes });
const entry: EntryContent = {
  kind: "message",
  role: "agent",
  message_id: "m",
  content: { type: "text", text: "x".repeat(1000) },
};

process.stdout.write("open\n");
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${outcome(line.split(" "))}\n`);
}
log.close();

function outcome([verb, session = "", count]: readonly string[]): string {
  try {
    if (verb === "read") return String(log.entries.page({ session, limit: 10_000 }).entries.length);
    const expectSeq = log.entries.lastSeq(session) ?? 0;
    const entries = Array.from({ length: Number(count) }, () => entry);
    return String(log.append([{ session, expectSeq, entries }])[0]!.seq);
  } catch (error) {
    if (error instanceof LogError) return error.code;
    throw error;
  }
}
