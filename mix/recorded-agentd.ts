// SPDX-License-Identifier: MIT OR Apache-2.0
// The daemon that holds the state directory, as it has recorded itself there: for who cannot reach it over the Bus.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "./context.ts";
import { bootId, isRunning, processState, startTimeOf } from "./process-alive.ts";
import { stateDirectory } from "./state-directory.ts";

export interface RecordedProcess {
  readonly pid: number;
  readonly startTime: string | undefined;
}

/**
 * Only if it certainly is the process that wrote the record: same boot, same start time. Undefined also where a signal
 * has stopped it: it would not hear another.
 */
export function recordedAgentd(context: Pick<Context, "env" | "home">): RecordedProcess | undefined {
  const record = readRecord(join(stateDirectory(context), "agentd.pid"));
  if (record === undefined || record.boot_id !== bootId()) return undefined;
  const { pid, start_time: startTime } = record;
  const isIt = startTimeOf(pid) === startTime && isRunning(pid, startTime) && processState(pid) !== "T";
  return isIt ? { pid, startTime } : undefined;
}

interface Record {
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
}

function readRecord(file: string): Record | undefined {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as Partial<{ [Name in keyof Record]: unknown }> | null;
    const { pid, start_time, boot_id } = record ?? {};
    const isPid = typeof pid === "number" && Number.isSafeInteger(pid) && pid > 1;
    if (!isPid || typeof start_time !== "string" || typeof boot_id !== "string") return undefined;
    return { pid, start_time, boot_id };
  } catch {
    return undefined;
  }
}
