// SPDX-License-Identifier: MIT OR Apache-2.0
// The daemon that holds the state directory, for a signal to it where the Bus does not lead there.
import type { Context } from "./process/context.ts";
import { daemonRecord } from "./daemon/daemon-record.ts";
import { bootId, isRunning, processState, startTimeOf } from "./daemon/process-alive.ts";

export interface RecordedProcess {
  readonly pid: number;
  readonly startTime: string;
}

/**
 * Only if it certainly is the process that wrote the record: same boot, same start time. Undefined also where a signal
 * has stopped it: it would not hear another.
 */
export function recordedAgentd(context: Pick<Context, "env" | "home">): RecordedProcess | undefined {
  const record = daemonRecord(context);
  if (record?.startTime === undefined || record.bootId === undefined || record.bootId !== bootId()) return undefined;
  const { pid, startTime } = record;
  const isIt = pid > 1 && startTimeOf(pid) === startTime && isRunning(pid, startTime) && processState(pid) !== "T";
  return isIt ? { pid, startTime } : undefined;
}
