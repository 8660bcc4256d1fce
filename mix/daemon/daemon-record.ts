// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds agentd's state directory by the same rules as agentd itself, and reads the record that agentd writes there, for
// when it cannot or need not be asked over the Bus.
import { join } from "node:path";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { stateDirectoryOf } from "../../files/state-directory.ts";
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";
import { currentBootId, isRunning, processState, startTimeOf } from "./process-alive.ts";

/** Members other than `pid` are undefined in the record of an older agentd. */
export interface DaemonRecord {
  readonly pid: number;
  readonly version: string | undefined;
  readonly build: string | undefined;
  /** Together with `bootId` it tells the process from a later one with the same pid. */
  readonly startTime: string | undefined;
  readonly bootId: string | undefined;
}

/** Returns undefined if there is no record or it is incomplete. The record of a killed daemon is still there. */
export function daemonRecord(context: Pick<Context, "env" | "home">): DaemonRecord | undefined {
  try {
    const text = readRegularFile(stateFile(context, "agentd.pid"), recordBytesMax).toString("utf8");
    const { pid, version, build, start_time, boot_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    const [startTime, bootId] = [textOf(start_time), textOf(boot_id)];
    return { pid, version: textOf(version), build: textOf(build), startTime, bootId };
  } catch {
    return undefined;
  }
}

/**
 * Returns the process of the daemon that holds the state directory, to signal it when it cannot be reached over the
 * Bus, but only if it certainly wrote the record: same boot, same start time. Returns undefined for a process that is
 * stopped (SIGSTOP), as it would not react to another signal.
 */
export function recordedAgentd(
  context: Pick<Context, "env" | "home">,
): { readonly pid: number; readonly startTime: string } | undefined {
  const record = daemonRecord(context);
  if (record?.startTime === undefined || record.bootId === undefined || record.bootId !== currentBootId())
    return undefined;
  const { pid, startTime } = record;
  const isIt = pid > 1 && startTimeOf(pid) === startTime && isRunning(pid, startTime) && processState(pid) !== "T";
  return isIt ? { pid, startTime } : undefined;
}

const recordBytesMax = 64 * 1024;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Throws a usage error for a relative AGENTD_STATE_DIR: the daemon changes its working directory to /. */
function stateDirectory({ env, home }: Pick<Context, "env" | "home">): string {
  const directory = stateDirectoryOf("agentd", env, home);
  if (directory === undefined) throw usageError("AGENTD_STATE_DIR must be an absolute path");
  return directory;
}

/** Throws as `stateDirectory` does. */
export function stateFile(context: Pick<Context, "env" | "home">, name: string): string {
  return join(stateDirectory(context), name);
}

export function processLogFile(context: Pick<Context, "env" | "home">): string {
  return stateFile(context, "agentd.log");
}
