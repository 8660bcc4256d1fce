// SPDX-License-Identifier: MIT OR Apache-2.0
// Cleans up after an agentd that died: ends orphans and removes temporary files of writes. Orphans are found by their
// records (never by pid alone) and by the marker in their environment, which also finds unrecorded ones.
import { endTree } from "../acp-client/process/process-tree.ts";
import { sessionMarker } from "./catalogue/environment.ts";
import type { Log } from "./log/open.ts";
import type { ChildProcess } from "./log/processes.ts";
import { toTemporaryName } from "./session/core/client-side/files.ts";
import type { SessionState } from "./session/core/state.ts";
import type { Reserved } from "./instance/reserved.ts";
import { sweepTemporary } from "./client-side/files/write-text-file.ts";

/**
 * Returns the number of ended processes by session. Call it only before this agentd starts an agent. Handles all sessions
 * concurrently, which share scans of the process table, and each session sequentially, so that none counts twice.
 */
export async function endOrphans(log: Log): Promise<ReadonlyMap<string, number>> {
  const recorded = new Map<string, ChildProcess[]>(log.sessions.live().map(({ session }) => [session, []]));
  for (const record of log.processes.all()) {
    const records = recorded.get(record.session);
    if (records) records.push(record);
    else recorded.set(record.session, [record]);
  }
  const ended = [...recorded].map(async ([session, records]): Promise<[string, number]> => {
    let count = 0;
    for (const record of records) {
      const { pid, start_time: startTime, boot_id: bootId } = record;
      const marker = { name: sessionMarker, value: record.marker };
      count += (await endTree({ identity: { pid, startTime, bootId }, marker })).killed;
      log.processes.remove(record);
    }
    const marker = { name: sessionMarker, value: `${log.id}/${session}` };
    return [session, count + (await endTree({ marker })).killed];
  });
  return new Map((await Promise.all(ended)).filter(([, count]) => count > 0));
}

/**
 * Removes the temporary files of writes that were logged as intended when agentd died; the files themselves are whole.
 * Runs before the log says that those writes have ended, so that it is repeated after another crash.
 */
export function removeTemporaryFiles({ id, cwd, additionalDirs, writes }: SessionState, reserved: Reserved): void {
  const directories = [cwd, ...additionalDirs];
  for (const { seq, path } of writes) {
    if (path !== "") sweepTemporary(path, { directories, reserved, temporaryName: toTemporaryName(id, seq) });
  }
}
