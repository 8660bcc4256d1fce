// SPDX-License-Identifier: MIT OR Apache-2.0
// Collects the facts that `findings.ts` judges. Starts no daemon and changes nothing.
import { existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { BusError, discoverBus } from "../../bus-client/index.ts";
import { attempt } from "../../files/attempt.ts";
import { findOnPath } from "../../files/find-on-path.ts";
import { upwards } from "../../files/upwards.ts";
import { runCheck } from "../daemon/run-check.ts";
import { runningAgentdPid } from "../daemon/unreachable-reason.ts";
import type { Context } from "../process/context.ts";
import type { Facts, RunningDaemon } from "./findings.ts";

/** `read` connects to a running agentd, and throws UNREACHABLE without one. */
export async function look(context: Context, read: () => Promise<ReadingBus>): Promise<Facts> {
  const [bus, daemon, check] = await Promise.all([lookAtBus(context), lookAtDaemon(context, read), runCheck(context)]);
  const report = "failed" in check ? undefined : check;
  return {
    now: context.now(),
    node: process.version,
    mix: { ...ownFile(context), version: context.version, build: context.build },
    bus,
    daemon,
    check,
    freeBytes: report?.state && freeBytes(report.state.directory),
    logWrittenAt: report?.log && lastWrite(report.log.file),
    isClockSynchronised: isClockSynchronised(),
  };
}

function ownFile({ env, agentdProgram }: Context): Pick<Facts["mix"], "file" | "onPath"> {
  const real = (file: string | undefined): string | undefined => file && attempt(() => realpathSync(file));
  return { file: real(join(dirname(agentdProgram), "mix.cjs")), onPath: real(findOnPath("mix", env["PATH"])) };
}

async function lookAtBus({ env, uid, home }: Context): Promise<Facts["bus"]> {
  try {
    const location = await discoverBus({ env, uid, home });
    return { url: location.found === "none" ? undefined : location.url, warnings: location.warnings };
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return { url: undefined, warnings: [error.message] };
  }
}

async function lookAtDaemon(context: Context, read: () => Promise<ReadingBus>): Promise<Facts["daemon"]> {
  try {
    const bus = await read();
    const [status, { agents }] = [await bus.ask("agent.status", {}), await bus.ask("agent.list", {})];
    return { status, agents } satisfies RunningDaemon;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return error.code === "UNREACHABLE" && runningAgentdPid(context) === undefined
      ? undefined
      : { silent: error.message };
  }
}

/** Of the nearest directory that exists. */
function freeBytes(directory: string): number | undefined {
  for (const path of upwards(directory)) {
    const found = attempt(() => statfsSync(path));
    if (found !== undefined) return found.bavail * found.bsize;
  }
  return undefined;
}

function lastWrite(logFile: string): number | undefined {
  const times = [logFile, `${logFile}-wal`].flatMap((file) => attempt(() => statSync(file).mtimeMs) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** systemd-timesyncd makes the file at its first answer of a time server. Other systems and services tell nothing. */
function isClockSynchronised(directory = "/run/systemd/timesync"): boolean | undefined {
  return existsSync(directory) ? existsSync(join(directory, "synchronized")) : undefined;
}
