// SPDX-License-Identifier: MIT OR Apache-2.0
// A session with a long past: one that really was, and then many entries more, written straight into its log.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openLog } from "../../agentd/log/open.ts";
import type { EntryContent } from "../../agentd/vocabulary/index.ts";
import { BusUser } from "./bus-user.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { Place } from "./place.ts";

/**
 * Starts and ends a session of that agent in the place, then lets it have been told `entries` texts of `bytes` each. No
 * agentd runs in the place afterwards. Returns the session's id.
 */
export async function makeLongSession(place: Place, agent: string, entries: number, bytes: number): Promise<string> {
  const session = await endedSession(place, agent);
  const log = openLog({ file: join(place.stateDirectory, "log.db"), clock: Date, random: randomBytes });
  try {
    let seq = log.entries.lastSeq(session) ?? 0;
    const end = seq + entries;
    while (seq < end) {
      const some = Array.from({ length: Math.min(entriesPerCommit, end - seq) }, () => told(bytes));
      log.append([{ session, expectSeq: seq, entries: some }]);
      seq += some.length;
    }
  } finally {
    log.close();
  }
  return session;
}

const entriesPerCommit = 256;

function told(bytes: number): EntryContent {
  return {
    kind: "message",
    turn: 1,
    role: "agent",
    message_id: "m-1",
    content: { type: "text", text: "x".repeat(bytes) },
    append: true,
  };
}

async function endedSession(place: Place, agent: string): Promise<string> {
  await using daemon = await startDaemonProcess(place);
  const user = new BusUser(await daemon.connect());
  const session = await user.start({ agent, cwd: place.directory(), prompt: "begin" });
  await user.wait(session, "idle");
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  return session;
}
