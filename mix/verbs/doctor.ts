// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Finding, findingsOf } from "../doctor/findings.ts";
import { look } from "../doctor/look.ts";
import { joined, rich, type Style, type Text, wrapped } from "../../display/styled.ts";
import { printableLine } from "../../display/printable.ts";
import { formatCount } from "../../display/units.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { homePath } from "../process/home-path.ts";
import type { Screen } from "../view/tool-calls.ts";
import { detectScreen } from "../view/live-view.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent doctor",
  about:
    "Checks this machine: Node, agentd, the Bus, settings, disk, log, agents and their logins, clock. One line each, with the way to mend what is wrong. Changes nothing and never starts agentd. Exit 1 if there is a fault (✘); a warning (!) is none.",
  flags: {},
  examples: ["mix agent doctor", "mix agent doctor --json"],
  neverStarts: true,
};

export async function run({ context, output, read }: Invocation): Promise<Outcome> {
  const findings = findingsOf(await look(context, () => read("running-agentd")));
  const faults = findings.filter(({ state }) => state === "fault");
  if (output.mode === "json") await output.document("mix.doctor.v1", { ok: faults.length === 0, findings });
  else if (output.mode === "ids") for (const { subject } of faults) await output.line(subject);
  else await output.lines(joined(formatFindings(findings, detectScreen(context)), "\n"));
  const warnings = findings.filter(({ state }) => state === "warning");
  output.word(`${formatCount(faults.length, "fault")}, ${formatCount(warnings.length, "warning")}`);
  return faults.length === 0 ? done : { kind: "refused", code: "FAULT" };
}

/** On a terminal the lines are wrapped, and the home directory is written as `~`. */
export function formatFindings(findings: readonly Finding[], { style, columns, home = "" }: Screen): Text[] {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const indent = " ".repeat(width + 4);
  return findings.flatMap(({ subject, state, words, remedy }, index) => {
    const [first = "", ...more] = homePaths(words, home).split("\n").map(printableLine);
    // Several findings of one subject stand below its name.
    const name = findings[index - 1]?.subject === subject ? "" : subject;
    const lines = [
      rich`${mark(state, style)} ${name.padEnd(width)}  ${first}`,
      ...more.map((line) => `${indent}${line}`),
      ...(remedy === undefined ? [] : [rich`${indent}${style.faint(`→ ${printableLine(remedy)}`)}`]),
    ];
    return lines.map((line, nth) => wrapped(line, columns, nth === 0 ? indent.length : 2));
  });
}

/** Shortens paths at the beginnings of words. */
function homePaths(words: string, home: string): string {
  return words.replace(/(?<=^|\s)\/\S*/g, (path) => homePath(path, { home }));
}

function mark(state: Finding["state"], style: Style): Text {
  if (state === "ok") return style.good("✔");
  if (state === "none") return style.faint("·");
  return state === "warning" ? style.warn("!") : style.error("✘");
}
