// SPDX-License-Identifier: MIT OR Apache-2.0
// A history with a real agentd, real agents and real deaths: several callers at once, SIGKILL at a chosen point or from
// outside, the same commands again to the next agentd.
import { failpointNames } from "../../agentd/failpoint.ts";
import type { BusClient } from "../../bus-client/index.ts";
import { leftIn } from "../cases/living.ts";
import { brokenAfterRecovery, brokenPromises } from "../crash/broken-promises.ts";
import { stubbornCast } from "../crash/death.ts";
import { openLogFile, readLogFile, readSessions } from "../crash/logged.ts";
import { type MortalDaemon, startMortalDaemon } from "../crash/mortal-daemon.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { Callers, type Given } from "./callers.ts";
import { Commands } from "./commands.ts";
import type { History } from "./history.ts";
import { Random } from "./random.ts";

const graces = { closeRequestTimeoutMs: 200, stdinGraceMs: 50, termGraceMs: 2_000 } as const;
const lives = 3;

export async function runKilledHistory(seed: number): Promise<Omit<History, "broughtBack">> {
  const random = new Random(seed);
  using cast = stubbornCast();
  const { place } = cast;
  const callers = new Callers();
  const commands = new Commands(random, callers, { agent: "scripted", cwd: place.directory() });
  const frames = () => cast.agent().received();
  const faults: string[] = [];
  for (let life = 0; life < lives; life += 1) {
    const { replies, seen } = await liveAndDie({
      random,
      commands,
      callers,
      start: () => startMortalDaemon(place, graces),
    });
    hear(replies, callers, place);
    const logged = await readLogFile(place);
    faults.push(...brokenPromises({ logged, frames: frames(), seen }));
  }
  for (let recovery = 0; recovery < 2; recovery += 1) {
    const before = recovery === 0 ? undefined : JSON.stringify([...readSessions(place)]);
    await using _ = await startDaemonHere(place, { limits: graces });
    faults.push(...(await leftIn(place)).map(({ command }) => `${command} outlived agentd`));
    if (before !== undefined && JSON.stringify([...readSessions(place)]) !== before) {
      faults.push("a second recovery has changed the log");
    }
  }
  const logged = await readLogFile(place);
  faults.push(...callers.check(logged), ...brokenAfterRecovery({ logged, frames: frames(), seen: [] }));
  const entries = [...logged.sessions.values()].reduce((sum, session) => sum + session.entries.length, 0);
  return { faults, deaths: lives, entries };
}

interface Heard {
  readonly caller: number;
  readonly rc: number;
  readonly body: string;
}

interface Scene {
  readonly random: Random;
  readonly commands: Commands;
  readonly callers: Callers;
  readonly start: () => Promise<MortalDaemon>;
}

/** What callers heard of one agentd, and what it published. */
async function liveAndDie({ random, commands, callers, start }: Scene) {
  await using daemon = await start();
  const user = await BusUser.watching(await daemon.connect());
  const clients = [await daemon.connect("tester"), await daemon.connect(), await daemon.connect()];
  const sessions = new Set(callers.given.flatMap(({ scope }) => (scope === "instance" ? [] : [scope])));
  const replies: Heard[] = [];
  const asking: Promise<void>[] = [];
  const ask = async (client: BusClient, given: Given): Promise<void> => {
    const caller = callers.ask(given, false);
    try {
      const { rc, body } = await client.call("agent", given.verb, given.args);
      replies.push({ caller, rc, body });
      const { session } = JSON.parse(body) as { session?: string };
      if (rc === 0 && session !== undefined) sessions.add(session);
    } catch {
      // agentd died before it said anything: the model knows by its having heard nothing.
    }
  };
  const dead = daemon.death().then(() => true);
  if (random.chance(80)) await daemon.arm(random.pick(failpointNames), 1 + random.whole(12)).catch(() => {});
  for (let step = 0; step < 25; step += 1) {
    const sight = { sessions: [...sessions], asked: (session: string) => askedOf(user, session) };
    const given = commands.next(sight).map((each) => ask(random.pick(clients), each));
    asking.push(...given);
    // Some wait for their answers, and some do not.
    if (random.chance(60) && (await Promise.race([dead, Promise.all(given).then(() => false)]))) break;
  }
  daemon.kill();
  await dead;
  await Promise.all(asking);
  return { replies, seen: user.seen };
}

/** Requests of which the topic has told and not yet that they were resolved. */
function askedOf(user: BusUser, session: string): string[] {
  const open = new Set<string>();
  for (const entry of user.seen) {
    if (entry.kind !== "permission" || "truncated" in entry || entry.session !== session) continue;
    if (entry.phase === "requested") open.add(entry.request);
    else open.delete(entry.request);
  }
  return [...open];
}

/** The model is told what was heard, now that the log can be looked into. */
function hear(replies: readonly Heard[], callers: Callers, place: { readonly stateDirectory: string }): void {
  const log = openLogFile(place);
  try {
    for (const reply of replies) callers.replied(reply, log);
    callers.died();
  } finally {
    log.close();
  }
}
