// SPDX-License-Identifier: MIT OR Apache-2.0
// One real agent's place to work in: a scripted model, a home, the built agentd with its Bus, directories, and the proof
// that all of it is gone afterwards.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { StatusReply, VerbInput } from "../../agentd/vocabulary/index.ts";
import { BusUser } from "../harness/bus-user.ts";
import { type DaemonProcess, startDaemonProcess } from "../harness/daemon-process.ts";
import { makePlace, type Place } from "../harness/place.ts";
import { builtMix } from "../harness/shell.ts";
import { killProcesses, remainingProcesses, type SeenProcess } from "./agent-processes.ts";
import { type AgentSession, openSession, resumeSession } from "./agent-session.ts";
import { repositoryInstallation } from "./installation.ts";
import { type ModelServer, startModelServer } from "./model-server/model-server.ts";
import { modelKey, prepareRealAgent, type RealAgent, type RealAgentName } from "./real-agents.ts";

export interface Workshop extends AsyncDisposable {
  readonly agent: RealAgent;
  readonly model: ModelServer;
  readonly place: Place;
  /** The agent in a second home, which is empty but for its configuration and has an entry of its own. */
  freshTwin(): Promise<{ readonly agent: RealAgent; readonly home: string }>;
  /** Somebody on the Bus. */
  readonly user: BusUser;
  /** A session in a fresh, empty directory, by the built-in entry of the catalogue unless `how` names another. */
  openSession(how?: Partial<VerbInput<"agent.session.start">>): Promise<AgentSession>;
  /** A session that has ended, brought back; `fresh`: as a new one of its agent, which is told what was said. */
  resumeSession(session: AgentSession, fresh?: boolean): Promise<AgentSession>;
  /** `mix agent`, as a script runs it: without a terminal. */
  readonly mix: (words: readonly string[], input?: string) => Promise<MixRun>;
  /** How long a question waits for a person from now on, in the words of the instance's file. */
  waitForPeople(time: string): Promise<void>;
  /** Kills agentd alone, and by SIGKILL: it can tell nothing and end nothing. */
  killDaemon(): Promise<void>;
  /** Starts agentd again in the same place, where it was stopped or killed before. */
  restartDaemon(): Promise<BusUser>;
  /** Has agentd stopped as its service manager does, and tells what of the agents still ran when it had ended. */
  stopDaemon(): Promise<{ readonly code: number | null; readonly left: readonly SeenProcess[] }>;
  /** What runs of the agents now, and which of those seen before. */
  remaining(seen: readonly SeenProcess[]): Promise<readonly SeenProcess[]>;
}

export interface MixRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Of agentd's environment, for an MCP server of the user's own. */
export const probeSecret = { name: "PROBE_SECRET", value: "the-heron-stands-on-one-leg" };

/** The name under which the tests are on the Bus. */
export const userName = "tester";

/** `isLoggedIn`: false for an agent that has no key of its own, and a model that asks for one. */
export async function openWorkshop(
  name: RealAgentName,
  { isLoggedIn = true }: { readonly isLoggedIn?: boolean } = {},
): Promise<Workshop> {
  const undo: (() => unknown)[] = [];
  const close = (): Promise<void> => undoAll(name, undo);
  try {
    const place = makePlace();
    undo.push(() => place[Symbol.dispose]());
    const model = await startModelServer([], isLoggedIn ? {} : { key: modelKey });
    undo.push(() => model.close());
    const marker = { name: "REAL_AGENT_TEST", value: randomUUID() };
    const options = { installed: repositoryInstallation.into, modelPort: model.port, isLoggedIn };
    const agent = await prepareRealAgent(name, { ...options, home: join(place.home, "agent") });
    const environment = { ...agent.env, [marker.name]: marker.value };
    const twinHome = join(place.home, "twin");
    const prepareTwin = async (): Promise<RealAgent> => {
      await rm(twinHome, { recursive: true, force: true });
      return await prepareRealAgent(name, { ...options, home: twinHome });
    };
    const { env: twinEnvironment } = await prepareTwin();
    const table =
      agentTable(ownEntryOf(name), agent, environment) +
      agentTable(twinEntryOf(name), agent, { ...twinEnvironment, [marker.name]: marker.value });
    const environmentOfDaemon = {
      [probeSecret.name]: probeSecret.value,
      PATH: `${await installProgram(agent, environment, join(place.home, "bin"))}:${process.env["PATH"]}`,
    };
    const configure = (more = ""): void =>
      place.configure(`bus_tools = true\nallow_env = ["${probeSecret.name}"]\n${more}${table}`);
    configure();
    // Only what was not there before, and only if empty: it may be an agent's of the user's own by now.
    const leaves = agent.leaves.filter((path) => !existsSync(path));
    undo.push(() => Promise.all(leaves.map((path) => rmdir(path).catch(() => undefined))));

    const marked = `${marker.name}=${marker.value}`;
    undo.push(() => endRemaining(marked));
    let daemon: DaemonProcess = await startDaemonProcess(place, environmentOfDaemon);
    undo.push(() => daemon[Symbol.asyncDispose]());
    let user = await BusUser.watching(await daemon.connect(userName));

    return {
      agent,
      model,
      place,
      async freshTwin() {
        return { agent: await prepareTwin(), home: twinHome };
      },
      get user() {
        return user;
      },
      openSession: (how = {}) => openSession(user, { agent: name, cwd: place.directory(), ...how }),
      resumeSession: (session, fresh = false) => resumeSession(user, session, fresh),
      mix: (words, input = "") => runMix(place, words, input),
      async waitForPeople(time) {
        const limit = async (): Promise<unknown> => {
          const { limits } = await user.call<StatusReply>("agent.status", {});
          return limits.find(({ name: each }) => each === "permissionTimeoutMs")?.value;
        };
        const before = await limit();
        configure(`permission_timeout = "${time}"\n`);
        await expect.poll(limit, { timeout: killedDeadlineMs }).not.toBe(before);
      },
      async killDaemon() {
        daemon.child.kill("SIGKILL");
        await daemon.exited;
        await daemon[Symbol.asyncDispose]();
      },
      async restartDaemon() {
        daemon = await startDaemonProcess(place, environmentOfDaemon);
        user = await BusUser.watching(await daemon.connect(userName));
        return user;
      },
      async stopDaemon() {
        await daemon[Symbol.asyncDispose]();
        const { code } = await daemon.exited;
        return { code, left: await remainingProcesses(marked, [], 0) };
      },
      remaining: (seen) => remainingProcesses(marked, seen, 0),
      [Symbol.asyncDispose]: close,
    };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function runMix({ environment, root }: Place, words: readonly string[], input: string): Promise<MixRun> {
  const child = spawn(process.execPath, [builtMix, "agent", ...words], { env: environment, cwd: root });
  child.stdin.on("error", () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

/** The agent as a user installs it: a program of its name in a directory on the PATH. Returns that directory. */
async function installProgram(
  { program }: RealAgent,
  environment: Readonly<Record<string, string>>,
  directory: string,
): Promise<string> {
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  const variables = Object.entries(environment).map(([variable, value]) => `export ${variable}=${quote(value)}`);
  const lines = ["#!/bin/sh", ...variables, `exec ${program.words.map(quote).join(" ")} "$@"`, ""];
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, program.name), lines.join("\n"), { mode: 0o755 });
  return directory;
}

/** The agent's name in an entry of the user's own, which lies beside the built-in one. */
export const ownEntryOf = (name: RealAgentName): string => `own-${name}`;

export const twinEntryOf = (name: RealAgentName): string => `twin-${name}`;

/** An entry in the instance's file. Strings of JSON are strings of TOML. */
function agentTable(name: string, { command }: RealAgent, env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([variable, value]) => `${variable} = ${JSON.stringify(value)}`);
  return [`[agents.${name}]`, `command = ${JSON.stringify(command)}`, `[agents.${name}.env]`, ...variables, ""].join(
    "\n",
  );
}

/** Whatever bears the marker when agentd has ended was left by it: it is ended here, and that is a failure. */
async function endRemaining(marked: string): Promise<void> {
  const left = await remainingProcesses(marked, [], 0);
  if (left.length === 0) return;
  killProcesses(left);
  const still = await remainingProcesses(marked, [], killedDeadlineMs);
  throw new Error(`agentd left ${JSON.stringify(left)}; of these SIGKILL did not end ${still.length}`);
}

const killedDeadlineMs = 10_000;

/** The last first, and all of them whatever fails. */
async function undoAll(name: string, undo: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of undo.toReversed()) {
    try {
      await step();
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${name} was not gone afterwards`);
}
