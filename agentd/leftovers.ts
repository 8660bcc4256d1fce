// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents that outlived the last agentd. They are found by what was recorded of them, never by pid alone, and by the mark
// in their environment, which also finds what was started in the moment before it could be recorded.
import { endTree } from "../acp-client/process/process-tree.ts";
import { sessionMarker } from "./catalogue/environment.ts";
import type { Log } from "./log/open.ts";

/** How many processes were ended, by session. Only while no agent of this agentd runs. */
export async function endLeftovers(log: Log): Promise<ReadonlyMap<string, number>> {
  const ended = new Map<string, number>();
  const note = (session: string, count: number): void => {
    if (count > 0) ended.set(session, (ended.get(session) ?? 0) + count);
  };
  for (const record of log.processes.all()) {
    const { session, pid, start_time: startTime, boot_id: bootId } = record;
    const marker = { name: sessionMarker, value: record.marker };
    const { killed } = await endTree({ identity: { pid, startTime, bootId }, marker });
    note(session, killed);
    log.processes.remove(record);
  }
  for (const { session } of log.sessions.live()) {
    const { killed } = await endTree({ marker: { name: sessionMarker, value: `${log.id}/${session}` } });
    note(session, killed);
  }
  return ended;
}
