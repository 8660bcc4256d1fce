// SPDX-License-Identifier: MIT OR Apache-2.0
// A turn of 50,000 chunks of Markdown on a terminal: drawn for people, and as JSON. From the start of `mix` to its end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { scriptedAgent } from "../test/scripted-agent/agent-files.ts";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace, type Place } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { runInTurn } from "./rounds.ts";

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));

/** 125 bytes, as in the row `chunks`. */
const text =
  "## A *head*\n\n- **bold**, `code` and [a link](http://x.y)\n  - more words\n\n```js\nrun(1);\n```\n| a | b |\n|--|--|\n| 1 | 2 |\n\n";
const count = 50_000;

export async function measurePeople(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using agent = scriptedAgent({
    rules: [{ on: "session/prompt", do: [{ flood: "chunks", count, text }, { reply: { stopReason: "end_turn" } }] }],
  });
  using place = makePlace({ flooder: agent.command });
  await using _daemon = await startDaemonProcess(place);
  const pair = {
    ours: () => millisecondsOf(place, []),
    other: () => millisecondsOf(place, ["--json"]),
  };
  const question = {
    what: "50k chunks of Markdown on a terminal: time for people, to --json",
    goal: { atMost: 1.5 },
    write: (value: number) => `${value.toFixed(0)} ms`,
  };
  return [findingOf(question, await runInTurn(pair, rounds, onRound))];
}

/** Runs the turn in a terminal of its own, whose output nobody looks at. */
async function millisecondsOf(place: Place, flags: readonly string[]): Promise<number> {
  const words = [mixProgram, "agent", "start", "flooder", "flood", "--cwd", place.directory(), "--close", ...flags];
  const command = [process.execPath, ...words].map((word) => `'${word}'`).join(" ");
  const env = { ...place.environment, TERM: "xterm" };
  const started = performance.now();
  const child = spawn("script", ["-qefc", `stty columns 80; exec ${command}`, "/dev/null"], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`mix ${flags.join(" ")} ended with ${code}`);
  return performance.now() - started;
}
