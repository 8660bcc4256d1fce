// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether what is done once costs as much where there is much: sessions that live, agents that talk, sessions that have
// ended. Each ratio compares the much with the little, and stays near 1 where nothing grows.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Log, openLog } from "../agentd/log/open.ts";
import type { Steps } from "../agentd/log/steps.ts";
import { BusUser } from "../test/harness/bus-user.ts";
import { agentdProgram, startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace, type Place } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { median, type Round, runInTurn } from "./rounds.ts";

const agent = ["/bin/sh", fileURLToPath(new URL("readers/small-agent.sh", import.meta.url))];
const few = 1_000;
const many = 50_000;
/** A round starts hundreds of processes: these are enough to see what grows. */
const roundsMax = 3;

export async function measureScale(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  const some = Math.min(rounds, roundsMax);
  return [
    ...(await measureStart(some, onRound)),
    ...(await measureEnded(some, onRound)),
    ...(await measureTalkers(some)),
    await measureStop(some, onRound),
  ];
}

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;

/** A stop of so many sessions, for each of them. */
async function measureStop(rounds: number, onRound: (done: number) => void): Promise<Finding> {
  const measured = await runInTurn({ ours: () => stopOf(200), other: () => stopOf(10) }, rounds, onRound);
  const what = "stop of agentd, a session: with 200 to with 10";
  return findingOf({ what, goal: { atMost: 1 }, write: milliseconds }, measured);
}

async function stopOf(sessions: number): Promise<number> {
  using place = makePlace({ small: agent }, `max_sessions = ${sessions}`);
  await using daemon = await startDaemonProcess(place);
  const user = new BusUser(await daemon.connect());
  const cwd = place.directory();
  for (let number = 0; number < sessions; number += 1) {
    await user.wait(await user.start({ agent: "small", cwd }), "idle");
  }
  const began = performance.now();
  daemon.child.kill("SIGTERM");
  await daemon.exited;
  return (performance.now() - began) / sessions;
}

/** `get` beside agents that talk as fast as they are read. */
async function measureTalkers(rounds: number): Promise<Finding[]> {
  const beside = new Map<number, number[]>([1, 8, 32].map((talkers) => [talkers, []]));
  for (let round = 0; round < rounds; round += 1) {
    using place = makePlace({ small: agent }, "max_sessions = 64");
    await using daemon = await startDaemonProcess(place);
    const user = new BusUser(await daemon.connect());
    const cwd = place.directory();
    const quiet = await user.start({ agent: "small", cwd });
    await user.wait(quiet, "idle");
    let talking = 0;
    for (const [talkers, times] of beside) {
      for (; talking < talkers; talking += 1) await user.start({ agent: "small", cwd, prompt: "talk" });
      times.push(median(await timesOf(60, () => user.get(quiet))));
    }
  }
  const [one = [], eight = [], thirtyTwo = []] = [...beside.values()];
  const against = (times: readonly number[]): Round<number>[] =>
    times.map((ours, round) => ({ ours, other: one[round]! }));
  const question = (talkers: number) => ({
    what: `get, beside ${talkers} talking agents to beside 1`,
    goal: { atMost: 4 },
    write: milliseconds,
  });
  return [findingOf(question(8), against(eight)), findingOf(question(32), against(thirtyTwo))];
}

/** What is asked of a log in which many sessions have ended, and the start of an agentd with such a log. */
async function measureEnded(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using little = makePlace();
  using much = makePlace();
  const logs = [openFilled(much, many), openFilled(little, few)] as const;
  const [list, purge] = [[], []] as [Round<number>[], Round<number>[]];
  for (let round = 0; round < rounds; round += 1) {
    const each = logs.map((log) => timesIn(log, round));
    list.push({ ours: each[0]!.list, other: each[1]!.list });
    purge.push({ ours: each[0]!.purge, other: each[1]!.purge });
  }
  for (const log of logs) log.close();
  const starts = await runInTurn({ ours: () => readyTime(much), other: () => readyTime(little) }, rounds, onRound);
  const sizes = `${many} ended sessions to ${few}`;
  return [
    findingOf({ what: `list of the running, ${sizes}`, goal: { atMost: 2 }, write: milliseconds }, list),
    findingOf({ what: `a purge, ${sizes}`, goal: { atMost: 2 }, write: milliseconds }, purge),
    findingOf(
      { what: `start of agentd until it is ready, ${sizes}`, goal: { atMost: 1.5 }, write: milliseconds },
      starts,
    ),
  ];
}

function timesIn(log: Log, round: number): { readonly list: number; readonly purge: number } {
  const perRound = 20;
  const list = median(Array.from({ length: 100 }, () => timeOf(() => log.sessions.list({ state: ["running"] }))));
  const purge = median(
    Array.from({ length: perRound }, (_, index) =>
      timeOf(() => all(log.maintenance.purge(idOf(round * perRound + index)))),
    ),
  );
  return { list, purge };
}

/** Ended sessions of three entries, each with the receipt of its start. */
function openFilled(place: Place, sessions: number): Log {
  mkdirSync(place.stateDirectory, { recursive: true, mode: 0o700 });
  const log = openLog({ file: join(place.stateDirectory, "log.db"), clock: Date, random: randomBytes });
  const perCommit = 500;
  for (let from = 0; from < sessions; from += perCommit) {
    log.append(Array.from({ length: perCommit }, (_, index) => endedSession(idOf(from + index), place.root)));
  }
  return log;
}

function endedSession(session: string, cwd: string): Parameters<Log["append"]>[0][number] {
  const body = JSON.stringify({ session, state: "starting" });
  return {
    session,
    expectSeq: 0,
    entries: [
      { kind: "state", state: "starting", agent: "small", cwd },
      { kind: "message", role: "agent", message_id: "m", content: { type: "text", text: "said" }, append: true },
      { kind: "state", state: "closed" },
    ],
    receipts: [
      {
        scope: "instance",
        commandId: `start-${session}`,
        verb: "agent.session.start",
        hash: new Uint8Array(32),
        seq: 1,
        answer: { rc: 0, body },
      },
    ],
  };
}

/** Twelve of the letters that ids are made of. */
function idOf(number: number): string {
  const digits = number.toString(25).padStart(12, "0");
  return digits.replaceAll(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 25)));
}

async function readyTime(place: Place): Promise<number> {
  const began = performance.now();
  await using _daemon = await startDaemonProcess(place);
  return performance.now() - began;
}

async function measureStart(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using place = makePlace();
  const roundsMin = 15;
  const measured = await runInTurn(
    { ours: () => runTime([agentdProgram, "--version"], place), other: () => runTime(["-e", "0"], place) },
    Math.max(rounds, roundsMin),
    onRound,
  );
  return [
    findingOf({ what: "agentd --version: time, to `node -e 0`", goal: { atMost: 3 }, write: milliseconds }, measured),
  ];
}

async function runTime(args: readonly string[], place: Place): Promise<number> {
  const began = performance.now();
  const [code] = (await once(spawn(process.execPath, args, { env: place.environment, stdio: "ignore" }), "exit")) as [
    number | null,
  ];
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  return performance.now() - began;
}

async function timesOf(count: number, ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await ask();
    times.push(performance.now() - began);
  }
  return times;
}

function timeOf(act: () => unknown): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}

function all(steps: Steps<unknown>): void {
  for (const _ of steps);
}
