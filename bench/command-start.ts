// SPDX-License-Identifier: MIT OR Apache-2.0
// What a short command costs: `mix agent ls`, from its start to its end with a running agentd, to Node.js doing nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { runInTurn } from "./rounds.ts";

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.mjs", import.meta.url));

/** An empty program measured 0.99 to 1.26 of `node -e 0` in few rounds: fewer than these say nothing. */
export const commandRoundsMin = 25;

export async function measureCommandStart(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using place = makePlace();
  await using _daemon = await startDaemonProcess(place);
  const pair = {
    ours: () => millisecondsOf([mixProgram, "agent", "ls"], place.environment),
    other: () => millisecondsOf(["-e", "0"], place.environment),
  };
  const question = {
    what: "mix agent ls: time, to `node -e 0`",
    goal: { atMost: 1.5 },
    write: (value: number) => `${value.toFixed(0)} ms`,
  };
  return [findingOf(question, await runInTurn(pair, Math.max(rounds, commandRoundsMin), onRound))];
}

async function millisecondsOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  return performance.now() - started;
}
