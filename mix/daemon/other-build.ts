// SPDX-License-Identifier: MIT OR Apache-2.0
// The agentd that runs may be of another build than this command line: an upgrade leaves it running. Looked up in the
// record of the state directory, which costs no round trip, and said once for each invocation.
import { buildWords, isSameBuild } from "../../files/installed-build.ts";
import type { Context } from "../process/context.ts";
import { daemonRecord } from "./daemon-record.ts";
import type { Output } from "../process/output.ts";

export async function warnOtherBuild(context: Context, output: Output): Promise<void> {
  const record = daemonRecord(context);
  if (record === undefined) return;
  const { pid, version, build } = record;
  const running = version === undefined ? undefined : { version, build };
  if (running !== undefined && isSameBuild(running, context)) return;
  const { restartHint, runningAgentdPid } = await import("./unreachable-reason.ts");
  if (runningAgentdPid(context) !== pid) return;
  const which = running === undefined ? "an older agentd" : `agentd ${buildWords(running)}`;
  output.notice(`${which} (pid ${pid}) runs, ${buildWords(context)} is installed: ${restartHint(pid)}`);
}
