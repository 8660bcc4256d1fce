// SPDX-License-Identifier: MIT OR Apache-2.0
// A daemon that runs and is not heard from here: whose process it is, and why it may be so. For people; on Linux alone,
// since elsewhere a process shows neither its state nor its environment.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../process/context.ts";
import { daemonRecord } from "./daemon-record.ts";
import { isRunning, processState } from "./process-alive.ts";
import { stateDirectory } from "./state-directory.ts";

/** The process that holds the state directory, by the record there; undefined where none is named. */
export function recordedPid(context: Pick<Context, "env" | "home">): number | undefined {
  return daemonRecord(context)?.pid;
}

/** What a person types to have the installed agentd in the place of the one that runs. */
export function restartHint(pid: number): string {
  // One that systemd has started is not to be started again behind its back.
  if (readText(`/proc/${pid}/cgroup`)?.includes("/agentd.service") === true) {
    return "`systemctl --user restart agentd` changes over, and ends live sessions";
  }
  return "`mix agent stop` ends it with its live sessions, and the next `mix agent` command starts the new one";
}

/** In one sentence, why the daemon that holds the state directory is not heard; undefined where none runs. */
export function unreachableReason(context: Pick<Context, "env" | "home">): string | undefined {
  const pid = runningAgentdPid(context);
  if (pid === undefined) return undefined;
  const log = join(stateDirectory(context), "agentd.log");
  return (
    lastingReason(pid, context.env) ?? `agentd (pid ${pid}) runs, but does not answer on the Bus; its log is ${log}`
  );
}

/** The same where waiting changes nothing: one that still comes up is on the Bus soon. */
export function lastingUnreachableReason(context: Pick<Context, "env" | "home">): string | undefined {
  const pid = runningAgentdPid(context);
  return pid === undefined ? undefined : lastingReason(pid, context.env);
}

function lastingReason(pid: number, env: Context["env"]): string | undefined {
  if (processState(pid) === "T") {
    return `agentd (pid ${pid}) does not answer: a signal stopped it; \`kill -CONT ${pid}\` lets it go on`;
  }
  const [first, ...others] = busDifferences(pid, env);
  return first && `agentd (pid ${pid}) runs, but on another Bus: ${[first, ...others].join("; ")}`;
}

/** A record outlives a daemon that was killed, and its number may be another program's by now. */
export function runningAgentdPid(context: Pick<Context, "env" | "home">): number | undefined {
  const pid = recordedPid(context);
  if (pid === undefined || !isRunning(pid, undefined)) return undefined;
  return readText(`/proc/${pid}/cmdline`)?.includes("agentd") === true ? pid : undefined;
}

/** What decides where the Bus is looked for. */
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
