// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of deaths: agentd is killed at each of its failpoints while it works on each acting command, and in the
// recovery after that. What must hold afterwards is in death.ts and broken-promises.ts; the table is printed at the end.
// @module-tag slow
import { afterAll, expect, test, vi } from "vitest";
import type { FailpointName } from "../../agentd/failpoint.ts";
import { type Act, acts } from "./acts.ts";
import { dieAndRecover, dieTwiceAndRecover, reachedBy, type When } from "./death.ts";

// Five at a time on two cores: one that waits for the others is not slow.
vi.setConfig({ testTimeout: 180_000 });

type Moment = Exclude<When, "replied">;

const once = (point: FailpointName): Moment => ({ point, nth: 1 });
const twice = (point: FailpointName): Moment => ({ point, nth: 2 });

/** While a command is worked on. The second reach is of what the command brings about: an agent that came up, a turn's end. */
const moments: readonly Moment[] = [
  once("log.before"),
  once("commit.before"),
  once("log.after"),
  once("reply.before"),
  once("reply.after"),
  once("frame_to_agent.before"),
  once("agent.spawned"),
  once("frame_to_agent.after"),
  twice("frame_to_agent.before"),
  twice("frame_to_agent.after"),
  once("publish.before"),
  once("publish.after"),
  once("frame_from_agent.before"),
  once("frame_from_agent.after"),
  twice("log.before"),
  twice("commit.before"),
  twice("log.after"),
];

const inRecovery: readonly FailpointName[] = [
  "recovery.before",
  "recovery.processes",
  "commit.before",
  "log.after",
  "recovery.after",
];

/** They bring nothing about with the agent: a prompt that waits behind another, and a name that only agentd knows. */
const quiet = ["queued prompt", "rename"];

/** Few commands start an agent. */
const reachedByAllBut: Readonly<Partial<Record<FailpointName, readonly string[]>>> = {
  "agent.spawned": [...quiet, "prompt", "cancel", "set_config", "permission.answer", "close"],
  "frame_to_agent.before": quiet,
  "frame_to_agent.after": quiet,
  "frame_from_agent.before": quiet,
  "frame_from_agent.after": quiet,
};
/** The agent's start and then its prompt; the turn's cancel and then the agent's end. */
const twoFrames: ReadonlySet<string> = new Set(["start with a prompt", "close"]);

function reaches({ name }: Act, { point, nth }: Moment): boolean {
  if (nth === 1) return !reachedByAllBut[point]?.includes(name);
  return point.startsWith("frame_to_agent") ? twoFrames.has(name) : !quiet.includes(name);
}

const verdicts = new Map<string, Map<string, string>>();

async function cell(row: string, act: Act, run: () => Promise<void>): Promise<void> {
  const columns = verdicts.get(row) ?? new Map<string, string>();
  verdicts.set(row, columns.set(act.name, "BROKEN"));
  await run();
  columns.set(act.name, "ok");
}

const rowOf = ({ point, nth }: Moment): string => (nth === 1 ? point : `${point}, the second`);
const deaths = acts.flatMap((act) =>
  moments.filter((moment) => reaches(act, moment)).map((moment) => ({ act, moment, row: rowOf(moment) })),
);
const deathsInRecovery = acts.flatMap((act) => inRecovery.map((point) => ({ act, point })));

test.concurrent.each(acts)("$name reaches exactly the points that the table says", async (act) => {
  const reached = await reachedBy(act);
  expect(moments.filter(({ point, nth }) => (reached[point] ?? 0) >= nth)).toEqual(
    moments.filter((moment) => reaches(act, moment)),
  );
});

test.concurrent.each(deaths)(
  "killed at $row of $act.name, it loses and repeats nothing",
  async ({ act, moment, row }) => {
    await cell(row, act, () => dieAndRecover(act, moment));
  },
);

test.concurrent.each(acts)("killed when the reply to $name has come, it loses and repeats nothing", async (act) => {
  await cell("the reply has come", act, () => dieAndRecover(act, "replied"));
});

test.concurrent.each(deathsInRecovery)(
  "killed in $act.name and at $point of its recovery, the second recovery finds all that the first would have",
  async ({ act, point }) => {
    await cell(`recovery, ${point}`, act, () => dieTwiceAndRecover(act, point));
  },
);

afterAll(() => console.log(table()));

function table(): string {
  const rows = [...moments.map(rowOf), "the reply has come", ...inRecovery.map((point) => `recovery, ${point}`)];
  const names = acts.map(({ name }) => name);
  const lines = [
    ["killed at", ...names],
    ...rows.map((row) => [row, ...names.map((name) => verdicts.get(row)?.get(name) ?? "n/a")]),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
