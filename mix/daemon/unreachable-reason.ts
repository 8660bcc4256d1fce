// SPDX-License-Identifier: MIT OR Apache-2.0
// Explains to people why a running daemon does not answer. Linux only: other systems show neither the state nor the
// environment of a process in /proc.
import { readFileSync } from "node:fs";
import type { Context } from "../process/context.ts";
import { daemonRecord, processLogFile } from "./daemon-record.ts";
import { isRunning, processState } from "./process-alive.ts";

export function recordedPid(context: Pick<Context, "env" | "home">): number | undefined {
  return daemonRecord(context)?.pid;
}

/** Says how to replace the running agentd by the installed one. */
export function restartHint(pid: number): string {
  // A daemon that systemd started must be restarted through systemd.
  if (readText(`/proc/${pid}/cgroup`)?.includes("/agentd.service") === true) {
    return "`systemctl --user restart agentd` switches to it, and ends live sessions";
  }
  return "`mix agent stop` ends it and its live sessions, and the next `mix agent` command starts the new one";
}

/** One sentence on why the daemon that holds the state directory does not answer; undefined if none runs. */
export function unreachableReason(context: Pick<Context, "env" | "home">): string | undefined {
  const pid = runningAgentdPid(context);
  if (pid === undefined) return undefined;
  const silent = `agentd (pid ${pid}) is running but does not answer on the Bus; its log is ${processLogFile(context)}`;
  return lastingReason(pid, context.env) ?? silent;
}

/** The same, but only for reasons that waiting does not change; a daemon that is still starting has none. */
export function lastingUnreachableReason(context: Pick<Context, "env" | "home">): string | undefined {
  const pid = runningAgentdPid(context);
  return pid === undefined ? undefined : lastingReason(pid, context.env);
}

function lastingReason(pid: number, env: Context["env"]): string | undefined {
  if (processState(pid) === "T") {
    return `agentd (pid ${pid}) does not answer: a signal stopped it; \`kill -CONT ${pid}\` resumes it`;
  }
  const [first, ...others] = busDifferences(pid, env);
  return first && `agentd (pid ${pid}) is running, but on another Bus: ${[first, ...others].join("; ")}`;
}

/** Checks the command line too: the record of a killed daemon stays, and another program may have its pid by now. */
export function runningAgentdPid(context: Pick<Context, "env" | "home">): number | undefined {
  const pid = recordedPid(context);
  if (pid === undefined || !isRunning(pid, undefined)) return undefined;
  return readText(`/proc/${pid}/cmdline`)?.includes("agentd") === true ? pid : undefined;
}

/** The variables that decide where the Bus is looked for. */
const busVariables = ["MIXOS_NODED_URL", "MIXOS_NODE_CONFIG", "MIXOS_ETC", "XDG_RUNTIME_DIR"];

function busDifferences(pid: number, env: Context["env"]): string[] {
  const text = readText(`/proc/${pid}/environ`);
  if (text === undefined) return [];
  const daemonEnv = new Map(text.split("\0").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
  const describe = (value: string | undefined): string => (value ? `is ${value}` : "is not set");
  return busVariables
    .filter((name) => (daemonEnv.get(name) ?? "") !== (env[name] ?? ""))
    .map((name) => `its ${name} ${describe(daemonEnv.get(name))}, here it ${describe(env[name])}`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
