// SPDX-License-Identifier: MIT OR Apache-2.0
// The agentd that runs may be of another build than this command line: an upgrade leaves it running. Looked up in the
// record of the state directory, which costs no round trip, and said once for each invocation.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWords, isSameBuild } from "../bus-client/index.ts";
import type { Context } from "./context.ts";
import type { Output } from "./output.ts";
import { stateDirectory } from "./state-directory.ts";

/** What agentd writes into its state directory; an older one says no version. */
export interface DaemonRecord {
  readonly pid: number;
  readonly version?: string;
  readonly build?: string;
}

/** Undefined where there is none, or one that is half written. */
export function daemonRecord(context: Pick<Context, "env" | "home">): DaemonRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(stateDirectory(context), "agentd.pid"), "utf8")) as DaemonRecord;
    return Number.isSafeInteger(record.pid) && record.pid > 0 ? record : undefined;
  } catch {
    return undefined;
  }
}

export async function tellOtherBuild(context: Context, output: Output): Promise<void> {
  const record = daemonRecord(context);
  if (record === undefined) return;
  const { pid, version, build } = record;
  const running = version === undefined ? undefined : { version, build };
  if (running !== undefined && isSameBuild(running, context)) return;
  const { restartWords, runningHolder } = await import("./unheard-daemon.ts");
  // A record outlives a daemon that was killed.
  if (runningHolder(context) !== pid) return;
  const which = running === undefined ? "an older agentd" : `agentd ${buildWords(running)}`;
  output.notice(`${which} (pid ${pid}) runs, ${buildWords(context)} is installed: ${restartWords(pid)}`);
}
