// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd has written of itself into its state directory: for whoever cannot, or need not, ask it over the Bus.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../process/context.ts";
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
