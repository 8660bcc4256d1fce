// SPDX-License-Identifier: MIT OR Apache-2.0
// One table of ratios. Absolute times are shown beside them and prove nothing: the machine is never quiet.
import { parseArgs } from "node:util";
import { measureCommandStart, measureMcpStart } from "./command-start.ts";
import { measureFace } from "./face.ts";
import { type Finding, passes } from "./finding.ts";
import { chunkFlood, diffFlood, measureFlood } from "./floods.ts";
import { measurePeople } from "./people.ts";
import { measureResume } from "./resume.ts";
import { measureScale } from "./scale.ts";
import { buildScriptedAgent } from "../test/scripted-agent/build.ts";
import { tableOf } from "./table.ts";

type Measure = (rounds: number, onRound: (done: number) => void) => Promise<Finding[]>;

const rows: Readonly<Record<string, Measure>> = {
  chunks: (rounds, onRound) => measureFlood(chunkFlood, "fresh", rounds, onRound),
  diffs: (rounds, onRound) => measureFlood(diffFlood, "fresh", rounds, onRound),
  "chunks-warm": (rounds, onRound) => measureFlood(chunkFlood, "warm", rounds, onRound),
  "diffs-warm": (rounds, onRound) => measureFlood(diffFlood, "warm", rounds, onRound),
  people: measurePeople,
  resume: measureResume,
  ls: measureCommandStart,
  mcp: measureMcpStart,
  face: measureFace,
  scale: measureScale,
};

/** Rows whose misses make the exit code 1 without `--check`. */
const alwaysChecked: ReadonlySet<string> = new Set(["scale"]);

/** Of a run that names none. A floor is for processes that are fresh; the others say how much of it is warming up. */
const usual = Object.keys(rows).filter((name) => !name.endsWith("-warm"));

const help = `npm run bench -- [--only ${Object.keys(rows).join("|")}] [--rounds N] [--check]

  --only     one row alone; may be repeated (default: all but the warm ones)
  --rounds   how often the variants of a row run in turn (default 7; starts never below 25)
  --check    exit code 1 when a ratio misses its floor; for scale that is so without it
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: usual },
      rounds: { type: "string", default: "7" },
      check: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds);
  const unknown = values.only.filter((name) => !Object.hasOwn(rows, name));
  if (values.help || unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
    process.stderr.write(help);
    return values.help ? 0 : 2;
  }
  buildScriptedAgent();
  const findings: Finding[] = [];
  let missed = false;
  for (const name of values.only) {
    const found = await rows[name]!(rounds, (done) => progress(`${name}: round ${done}`));
    findings.push(...found);
    if ((values.check || alwaysChecked.has(name)) && !found.every(passes)) missed = true;
    progress("");
  }
  process.stdout.write(tableOf(findings));
  return missed ? 1 : 0;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}
