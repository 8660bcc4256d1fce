// SPDX-License-Identifier: MIT OR Apache-2.0
// Waits for an agentd that is running but not on the Bus, or starts one in the background: in a POSIX session of its
// own, in /, with a cleaned environment, and with its output in its log file.
import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories } from "../../files/make-directories.ts";
import { type ConnectOptions, type Context, pause } from "../process/context.ts";
import { busAddress } from "./find-bus.ts";
import { ownError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";
import {
  recordedPid,
  runningAgentdPid,
  unreachableReason,
  lastingUnreachableReason,
} from "../daemon/unreachable-reason.ts";
import { daemonEnvironment } from "../daemon/daemon-environment.ts";
import { homePath } from "../process/home-path.ts";
import { processLogFile } from "../daemon/daemon-record.ts";
import { printable } from "../../display/printable.ts";

/** Call it when no agentd was found. Starts one and waits until `find` finds it, or throws the reason why not. */
export async function startAgentd<Bus>(
  context: Context,
  output: Output,
  how: ConnectOptions,
  find: () => Promise<Bus | undefined>,
): Promise<Bus> {
  if (how.target === "bus") throw ownError("UNREACHABLE", "no Bus answers; start one with `mix bus` or `agentd`");
  if (how.target === "running-agentd") {
    throw ownError("UNREACHABLE", unreachableReason(context) ?? "agentd is not running");
  }
  if (!how.autostart) {
    throw ownError(
      "UNREACHABLE",
      unreachableReason(context) ??
        "agentd is not running, and autostart is off; start `agentd`, or leave out --no-autostart",
    );
  }
  const reason = lastingUnreachableReason(context);
  if (reason !== undefined) throw ownError("UNREACHABLE", reason);
  const running = runningAgentdPid(context);
  const found = running === undefined ? undefined : await waitForRunningAgentd(context, output, running, find);
  return found ?? startInBackground(context, output, find);
}

/** How long a started daemon may take to register on the Bus. */
const registeredWithinMs = 10_000;

/**
 * Starts the daemon and polls `find` until it succeeds. If two processes do so at once, one daemon gets the lock; the
 * other exits with 75, and its caller finds the first. Throws UNREACHABLE if the daemon exits with another code, or
 * after 10 s. Returns only once its own daemon has exited or holds the lock: a slow loser could otherwise take over
 * later.
 */
async function startInBackground<Found>(
  context: Context,
  output: Output,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const logFile = processLogFile(context);
  const daemon = await spawnDaemon(context, logFile);
  output.notice(`starting agentd in the background; its log is ${pathForPeople(logFile, context)}`);
  const deadline = context.now() + registeredWithinMs;
  while (context.now() < deadline) {
    const found = await find();
    if (found !== undefined) {
      while (!isSettled(context, daemon) && context.now() < deadline) await pause(context, pollMs);
      return found;
    }
    const ended = daemon.ended();
    if (ended !== undefined && ended !== lockHeldExit) {
      throw ownError("UNREACHABLE", `agentd failed to start (${ended}); ${readLogTail(logFile, daemon.logStart)}`);
    }
    await pause(context, pollMs);
  }
  const running = runningAgentdPid(context);
  const late = `agentd did not come up within ${registeredWithinMs / 1000} s; its log is ${logFile}`;
  const away = running === undefined ? late : notOnBusMessage(context, running, await busAddress(context));
  throw ownError("UNREACHABLE", lastingUnreachableReason(context) ?? away);
}

function pathForPeople(path: string, context: Context): string {
  return context.stderr.isTTY ? homePath(path, context) : path;
}

/** How long a running agentd may take to return to its Bus: three times its longest reconnect delay. */
const backWithinMs = 15_000;

/**
 * Polls `find` for a running agentd that is still starting or between two attempts to reach its Bus. A second daemon
 * could not get the lock. Returns undefined if the process ends meanwhile; throws UNREACHABLE after 15 s.
 */
async function waitForRunningAgentd<Found>(
  context: Context,
  output: Output,
  pid: number,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const address = await busAddress(context);
  output.notice(`agentd (pid ${pid}) is running but not yet on the Bus at ${address}: waiting`);
  const deadline = context.now() + backWithinMs;
  while (context.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    if (runningAgentdPid(context) !== pid) return undefined;
    await pause(context, pollMs);
  }
  throw ownError("UNREACHABLE", notOnBusMessage(context, pid, address));
}

function notOnBusMessage(context: Context, pid: number, address: string): string {
  const what = `agentd (pid ${pid}) is running but not on the Bus at ${address}`;
  return `${what}: ${noBusHint}; its log is ${processLogFile(context)}`;
}

/** agentd does not replace a broker that somebody else runs unless a person restarts it. */
const noBusHint =
  "it reconnects once that Bus is back (`mix bus`, or whatever ran it); without one: `mix agent stop`, then any `mix agent` command";

/** Whether the daemon has exited or holds the state directory. */
function isSettled(context: Context, { pid, ended }: StartedDaemon): boolean {
  return ended() !== undefined || recordedPid(context) === pid;
}

const pollMs = 50;
/** EX_TEMPFAIL: another agentd holds the lock. */
const lockHeldExit = "exit 75";

interface StartedDaemon {
  readonly pid: number | undefined;
  /** How the process ended: `exit 2`, `signal SIGKILL` or an error's message; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Byte offset in the log file at which its output begins. */
  readonly logStart: number;
}

async function spawnDaemon(context: Context, logFile: string): Promise<StartedDaemon> {
  // Loaded here, because few commands start a daemon and all others would pay for it.
  const { spawn } = await import("node:child_process");
  if (!existsSync(context.agentdProgram)) {
    throw ownError("UNREACHABLE", `agentd is not running, and its program is missing: ${context.agentdProgram}`);
  }
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  let ended: string | undefined;
  let pid: number | undefined;
  try {
    const child: ChildProcess = spawn(context.nodeProgram, [context.agentdProgram, "--background"], {
      detached: true,
      cwd: "/",
      env: daemonEnvironment(context.env),
      stdio: ["ignore", log, log],
    });
    child.on("error", (error) => {
      ended = error.message;
    });
    child.on("exit", (code, signal) => {
      ended = signal === null ? `exit ${code}` : `signal ${signal}`;
    });
    child.unref();
    pid = child.pid;
  } finally {
    closeSync(log);
  }
  return { pid, ended: () => ended, logStart };
}

function openLog(logFile: string): number {
  try {
    makeDirectories(dirname(logFile));
    return openSync(logFile, "a", 0o600);
  } catch (error) {
    const { message } = error as Error;
    throw ownError("UNREACHABLE", `agentd's state directory ${dirname(logFile)} cannot be used: ${message}`, error);
  }
}

/** The last lines after byte `start`; from the beginning if the file was rotated and is shorter by now. */
function readLogTail(logFile: string, start: number): string {
  const file = openSync(logFile, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size < start ? size : size - start, logTailBytesMax));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const lines = tail.toString("utf8").trimEnd().split("\n").slice(-logTailLinesMax);
    return `last lines of ${logFile}:\n${printable(lines.join("\n"))}`;
  } finally {
    closeSync(file);
  }
}

const logTailBytesMax = 4096;
const logTailLinesMax = 5;
