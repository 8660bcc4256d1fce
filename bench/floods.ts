// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent that speaks as fast as its pipe takes it. Ours logs every update durably, publishes it, and a subscriber in
// another process receives it; the official SDK's client reads the same lines and stores nothing.
import { scriptedAgent } from "../test/scripted-agent/agent-files.ts";
import type { FloodStep } from "../test/scripted-agent/scenario.ts";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { type FloodReader, startFloodReader } from "./flood-reader.ts";
import { cpuMsOf } from "./process-cpu.ts";
import { type Round, runInTurn } from "./rounds.ts";

export interface FloodRow {
  readonly what: string;
  readonly flood: FloodStep["flood"];
  readonly count: number;
  /** Text of one update. */
  readonly bytes: number;
  /** Each text begins with its number. Of a tool's output that is sent again unchanged next to nothing would be logged. */
  readonly numbered: boolean;
  readonly rateAtLeast: number;
  readonly cpuAtMost: number;
}

/** 125 bytes of text make a line of 290 bytes. */
export const chunkFlood: FloodRow = {
  what: "50k chunks of 290 B",
  flood: "chunks",
  count: 50_000,
  bytes: 125,
  numbered: false,
  rateAtLeast: 1.5,
  cpuAtMost: 0.5,
};

export const diffFlood: FloodRow = {
  what: "5k diffs of 8 KB",
  flood: "tool_calls",
  count: 5_000,
  bytes: 8_192,
  numbered: true,
  rateAtLeast: 1,
  cpuAtMost: 0.7,
};

/** Of one flood. */
interface Cost {
  readonly updatesPerSecond: number;
  readonly cpuMicrosecondsPerUpdate: number;
}

/**
 * `fresh`: both processes are new in each round, and the flood is the first work they do. `warm`: both live through all
 * the rounds, and have done the same flood before the first that counts.
 */
export type Processes = "fresh" | "warm";

export async function measureFlood(
  row: FloodRow,
  processes: Processes,
  rounds: number,
  onRound: (done: number) => void,
): Promise<Finding[]> {
  const { flood, count, bytes, numbered } = row;
  using agent = scriptedAgent({
    rules: [{ on: "session/prompt", do: [{ flood, count, bytes, numbered }, { reply: { stopReason: "end_turn" } }] }],
  });
  const ours: WithSide = (use) => withAgentd(agent.command, row, use);
  const other: WithSide = (use) => withSdk(agent.command, row, use);
  const costIn = (side: Side): Promise<Cost> => costOf(side, count);
  const measured =
    processes === "fresh"
      ? await runInTurn({ ours: () => ours(costIn), other: () => other(costIn) }, rounds, onRound)
      : await ours((one) =>
          other((two) => runInTurn({ ours: () => costIn(one), other: () => costIn(two) }, rounds, onRound)),
        );
  return findingsOf(row, processes, measured);
}

/** Of a whole flood, with its numbers. */
export function textUnits({ count, bytes, numbered }: FloodRow): number {
  let units = count * bytes;
  if (!numbered) return units;
  for (let number = 1; number <= count; number += 1) units += `${number} `.length;
  return units;
}

/** One variant, ready for a flood: who takes it in, and the process whose time is counted. */
interface Side {
  readonly reader: FloodReader;
  readonly measuredPid: number;
}

/** Starts the variant's processes, and ends them after the use. */
type WithSide = <T>(use: (side: Side) => Promise<T>) => Promise<T>;

async function withAgentd<T>(agent: readonly string[], row: FloodRow, use: (side: Side) => Promise<T>): Promise<T> {
  using place = makePlace({ flooder: agent });
  await using daemon = await startDaemonProcess(place);
  const args = [daemon.busUrl, "flooder", place.directory(), String(row.count), String(textUnits(row))];
  await using reader = await startFloodReader("subscriber", args);
  return await use({ reader, measuredPid: daemon.child.pid ?? -1 });
}

async function withSdk<T>(agent: readonly string[], row: FloodRow, use: (side: Side) => Promise<T>): Promise<T> {
  using place = makePlace();
  const args = [JSON.stringify(agent), place.directory(), String(row.count), String(textUnits(row))];
  await using reader = await startFloodReader("sdk-client", args);
  return await use({ reader, measuredPid: reader.pid });
}

async function costOf({ reader, measuredPid }: Side, count: number): Promise<Cost> {
  const before = cpuMsOf(measuredPid);
  const ms = await reader.flood();
  const cpuMs = cpuMsOf(measuredPid) - before;
  return { updatesPerSecond: (count / ms) * 1000, cpuMicrosecondsPerUpdate: (cpuMs / count) * 1000 };
}

function findingsOf(row: FloodRow, processes: Processes, rounds: readonly Round<Cost>[]): Finding[] {
  const each = (part: keyof Cost): Round<number>[] =>
    rounds.map(({ ours, other }) => ({ ours: ours[part], other: other[part] }));
  return [
    findingOf(
      {
        what: `${row.what}, ${processes}: rate, to the SDK's client`,
        goal: { atLeast: row.rateAtLeast },
        write: (value) => `${(value / 1000).toFixed(1)}k/s`,
      },
      each("updatesPerSecond"),
    ),
    findingOf(
      {
        what: `${row.what}, ${processes}: CPU an update, to the SDK's client`,
        goal: { atMost: row.cpuAtMost },
        write: (value) => `${value.toFixed(1)} us`,
      },
      each("cpuMicrosecondsPerUpdate"),
    ),
  ];
}
