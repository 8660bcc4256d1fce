// SPDX-License-Identifier: MIT OR Apache-2.0
// Where no agentd was found: waits for one that runs, or starts one in the background, in a session of its own, in /,
// with a cleaned environment, and its words in its log file.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories } from "../../files/make-directories.ts";
import type { ConnectOptions } from "../bus/ask.ts";
import { type Context, pause } from "../process/context.ts";
import { busAddress } from "./find-bus.ts";
import { ownError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";
import {
  recordedPid,
  runningAgentdPid,
  unreachableReason,
  lastingUnreachableReason,
} from "../daemon/unreachable-reason.ts";
import { processLogFile } from "../daemon/state-directory.ts";
import { printable } from "../../display/printable.ts";

/** Where no agentd was found: starts one and looks for it with `find`, or throws what is to be told instead. */
export async function startAgentd<Bus>(
  context: Context,
  output: Output,
  how: ConnectOptions,
  find: () => Promise<Bus | undefined>,
): Promise<Bus> {
  if (how.target === "bus") throw ownError("UNREACHABLE", "no Bus answers; `mix bus` runs one, and so does `agentd`");
  if (how.target === "running-agentd") {
    throw ownError("UNREACHABLE", unreachableReason(context) ?? "agentd is not running");
  }
  if (!how.autostart) {
    throw ownError(
      "UNREACHABLE",
      unreachableReason(context) ??
        "agentd is not running, and starting it was ruled out; start `agentd`, or leave out --no-autostart",
    );
  }
  const reason = lastingUnreachableReason(context);
  if (reason !== undefined) throw ownError("UNREACHABLE", reason);
  const running = runningAgentdPid(context);
  const found = running === undefined ? undefined : await waitForRunningAgentd(context, output, running, find);
  return found ?? startInBackground(context, output, find);
}

/** How long a started daemon may take until it is on the Bus. */
const registeredWithinMs = 10_000;

/**
 * Starts the daemon and looks for it until `find` finds it. Two that do so at once start one: the loser's daemon ends
 * with 75 (another one holds the lock), and the search goes on. Throws UNREACHABLE where it ends otherwise, or after 10
 * s. What it has started is settled when it returns: a loser that is slow to load would live on once the winner was
 * stopped.
 */
async function startInBackground<Found>(
  context: Context,
  output: Output,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const logFile = processLogFile(context);
  const daemon = spawnDaemon(context, logFile);
  output.notice(`starting agentd in the background; its log is ${logFile}`);
  const deadline = context.now() + registeredWithinMs;
  while (context.now() < deadline) {
    const found = await find();
    if (found !== undefined) {
      while (!isSettled(context, daemon) && context.now() < deadline) await pause(context, pollMs);
      return found;
    }
    const ended = daemon.ended();
    if (ended !== undefined && ended !== lockHeldExit) {
      throw ownError("UNREACHABLE", `agentd ended at once (${ended}); ${readLogTail(logFile, daemon.logStart)}`);
    }
    await pause(context, pollMs);
  }
  const running = runningAgentdPid(context);
  const late = `agentd did not come up within ${registeredWithinMs / 1000} s; its log is ${logFile}`;
  const away = running === undefined ? late : notOnBusMessage(context, running, await busAddress(context));
  throw ownError("UNREACHABLE", lastingUnreachableReason(context) ?? away);
}

/** How long an agentd that runs may take to be back on its Bus: three of its longest pauses between two attempts. */
const backWithinMs = 15_000;

/**
 * Looks for an agentd that runs until `find` finds it: it is coming up, or between two attempts to reach its Bus. A
 * second one could only lose to it. Undefined where it ends meanwhile; throws UNREACHABLE after 15 s.
 */
async function waitForRunningAgentd<Found>(
  context: Context,
  output: Output,
  pid: number,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const address = await busAddress(context);
  output.notice(`agentd is running (pid ${pid}) and is not on the Bus at ${address} yet: waiting`);
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
  const what = `agentd (pid ${pid}) runs, and is not on the Bus at ${address}`;
  return `${what}: ${noBusHint}; its log is ${processLogFile(context)}`;
}

/** agentd does not take over the place of a broker that others run; who wants it to must say so. */
const noBusHint =
  "it comes by itself once a Bus is there (`mix bus`, or whatever ran it); without one: `mix agent stop`, then any `mix agent` command";

/** It has ended, or holds the state directory. */
function isSettled(context: Context, { pid, ended }: StartedDaemon): boolean {
  return ended() !== undefined || recordedPid(context) === pid;
}

/** What a daemon needs of its caller's environment; everything else stays with the caller. */
function daemonEnvironment(env: Context["env"]): Record<string, string> {
  const inherited = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && (inheritedNames.has(name) || inheritedPrefixes.some((prefix) => name.startsWith(prefix))),
  );
  return Object.fromEntries(inherited) as Record<string, string>;
}

const pollMs = 50;
/** EX_TEMPFAIL: another agentd holds the lock. */
const lockHeldExit = "exit 75";

// The marker AGENTD_SESSION is not among them: a daemon started from inside a session is not part of it.
const inheritedNames = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR",
    "DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY SSH_AUTH_SOCK",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
    "AGENTD_CONFIG AGENTD_STATE_DIR",
  ].flatMap((names) => names.split(" ")),
);
const inheritedPrefixes = ["LC_", "XDG_", "MIXOS_"];

interface StartedDaemon {
  readonly pid: number | undefined;
  /** How, in words; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Where its words begin in the log. */
  readonly logStart: number;
}

function spawnDaemon(context: Context, logFile: string): StartedDaemon {
  if (!existsSync(context.agentdProgram)) {
    throw ownError("UNREACHABLE", `agentd is not running, and its program is not at ${context.agentdProgram}`);
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

/** What was written from `start` on: the log has the words of earlier lives too, unless it was turned over. */
function readLogTail(logFile: string, start: number): string {
  const file = openSync(logFile, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size < start ? size : size - start, logTailBytesMax));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const lines = tail.toString("utf8").trimEnd().split("\n").slice(-logTailLinesMax);
    return `the end of ${logFile}:\n${printable(lines.join("\n"))}`;
  } finally {
    closeSync(file);
  }
}

const logTailBytesMax = 4096;
const logTailLinesMax = 5;
