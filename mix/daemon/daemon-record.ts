// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd has written of itself into its state directory: for whoever cannot, or need not, ask it over the Bus.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../process/context.ts";
import { currentBootId, isRunning, processState, startTimeOf } from "./process-alive.ts";
import { stateDirectory } from "./state-directory.ts";

/** An older agentd says less. */
export interface DaemonRecord {
  readonly pid: number;
  readonly version: string | undefined;
  readonly build: string | undefined;
  /** With the boot, tells the process from a later one of the same pid. */
  readonly startTime: string | undefined;
  readonly bootId: string | undefined;
}

/** Undefined where there is none, or one that is half written. A record outlives a daemon that was killed. */
export function daemonRecord(context: Pick<Context, "env" | "home">): DaemonRecord | undefined {
  try {
    const text = readFileSync(join(stateDirectory(context), "agentd.pid"), "utf8");
    const { pid, version, build, start_time, boot_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    const [startTime, bootId] = [textOf(start_time), textOf(boot_id)];
    return { pid, version: textOf(version), build: textOf(build), startTime, bootId };
  } catch {
    return undefined;
  }
}

/** The daemon that holds the state directory, for a signal to it where the Bus does not lead there. */
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
  if (record?.startTime === undefined || record.bootId === undefined || record.bootId !== currentBootId())
    return undefined;
  const { pid, startTime } = record;
  const isIt = pid > 1 && startTimeOf(pid) === startTime && isRunning(pid, startTime) && processState(pid) !== "T";
  return isIt ? { pid, startTime } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
