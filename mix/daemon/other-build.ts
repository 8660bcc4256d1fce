// SPDX-License-Identifier: MIT OR Apache-2.0
// Warns when the running agentd is of another build than this command line, as an upgrade leaves it running. The record
// in the state directory tells, without a round trip.
import { buildWords, isSameBuild } from "../../files/installed-build.ts";
import type { Context } from "../process/context.ts";
import { daemonRecord } from "./daemon-record.ts";
import type { Output } from "../process/output.ts";
import { restartHint, runningAgentdPid } from "./unreachable-reason.ts";

export function warnOtherBuild(context: Context, output: Output): void {
  const record = daemonRecord(context);
  if (record === undefined) return;
  const { pid, version, build } = record;
  const running = version === undefined ? undefined : { version, build };
  if (running !== undefined && isSameBuild(running, context)) return;
  if (runningAgentdPid(context) !== pid) return;
  const which = running === undefined ? "an older agentd" : `agentd ${buildWords(running)}`;
  output.notice(`${which} (pid ${pid}) is running, but ${buildWords(context)} is installed: ${restartHint(pid)}`);
}
