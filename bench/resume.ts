// SPDX-License-Identifier: MIT OR Apache-2.0
// A session with a long past, after a restart of agentd: what a look at it and its resume cost beside one bare read of
// all of its entries, and whether the last page of its log comes as soon as the first.
import { performance } from "node:perf_hooks";
import { join } from "node:path";
import Database from "better-sqlite3";
import { scriptedAgent } from "../test/scripted-agent/agent-files.ts";
import { BusUser } from "../test/harness/bus-user.ts";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makeLongSession } from "../test/harness/long-session.ts";
import { makePlace, type Place } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { median, type Round, runInTurn } from "./rounds.ts";

const updates = 100_000;
/** Text of one update. */
const bytes = 125;
const pageEntries = 1_000;
/** Pages at each end whose median counts. */
const pagesAtEnd = 20;

/** Milliseconds. */
interface Ours {
  readonly get: number;
  readonly resume: number;
  readonly firstPages: number;
  readonly lastPages: number;
}

export async function measureResume(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using agent = scriptedAgent({
    initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
    rules: [{ on: "session/resume", do: [{ reply: {} }] }],
  });
  using place = makePlace({ long: agent.command });
  const session = await makeLongSession(place, "long", updates, bytes);
  const other = (): Promise<number> => Promise.resolve(msOf(() => readAll(place, session)));
  return findingsOf(await runInTurn({ ours: () => afterRestart(place, session), other }, rounds, onRound));
}

async function afterRestart(place: Place, session: string): Promise<Ours> {
  await using daemon = await startDaemonProcess(place);
  const user = new BusUser(await daemon.connect());
  const get = await msOfAnswer(() => user.get(session));
  const pages = await pageTimes(user, session);
  const resume = await msOfAnswer(() => user.call("agent.session.resume", { session }));
  await user.wait(session, "idle");
  return {
    get,
    resume,
    firstPages: median(pages.slice(0, pagesAtEnd)),
    // The very last one is not full.
    lastPages: median(pages.slice(-pagesAtEnd - 1, -1)),
  };
}

/** From asking to having the reply's text, in order. */
async function pageTimes({ client }: BusUser, session: string): Promise<number[]> {
  const times: number[] = [];
  for (let after: string | undefined = "0"; after !== undefined;) {
    const began = performance.now();
    const reply = await client.call("agent", "agent.session.log", {
      session,
      after: after === "0" ? 0 : after,
      limit: pageEntries,
    });
    times.push(performance.now() - began);
    after = (JSON.parse(reply.body) as { next?: string }).next;
  }
  return times;
}

/** What nobody can do without who wants to know all of it. */
function readAll(place: Place, session: string): void {
  const db = new Database(join(place.stateDirectory, "log.db"), { readonly: true });
  try {
    const base = db.prepare<[string], number>("SELECT sid << 30 FROM session WHERE id = ?").pluck().get(session) ?? 0;
    const bodies = db
      .prepare<[number, number], string>("SELECT body FROM entry WHERE id BETWEEN ? AND ? ORDER BY id")
      .pluck();
    let read = 0;
    for (const body of bodies.iterate(base, base + 2 ** 30 - 1)) read += body.length > 0 ? 1 : 0;
    if (read < updates) throw new Error(`the log of ${session} has ${read} entries, not ${updates}`);
  } finally {
    db.close();
  }
}

function msOf(act: () => void): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}

async function msOfAnswer(ask: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await ask();
  return performance.now() - began;
}

function findingsOf(rounds: readonly Round<Ours, number>[]): Finding[] {
  const write = (value: number): string => `${value.toFixed(1)} ms`;
  const beside = (part: "get" | "resume"): Round<number>[] =>
    rounds.map(({ ours, other }) => ({ ours: ours[part], other }));
  const ends = rounds.map(({ ours }): Round<number> => ({ ours: ours.lastPages, other: ours.firstPages }));
  const past = "100k updates, after a restart";
  return [
    findingOf({ what: `${past}: get, to a bare read of them`, goal: { atMost: 0.25 }, write }, beside("get")),
    findingOf(
      { what: `${past}: resume's answer, to a bare read of them`, goal: { atMost: 1 }, write },
      beside("resume"),
    ),
    findingOf({ what: `${past}: a page of the log, the last to the first`, goal: { atMost: 1.5 }, write }, ends),
  ];
}
