// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Finding, findingsOf } from "../doctor/findings.ts";
import { look } from "../doctor/look.ts";
import { joined, rich, type Style, type Text } from "../../display/styled.ts";
import { printableLine } from "../../display/printable.ts";
import { formatCount } from "../../display/units.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
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
  else await output.lines(joined(formatFindings(findings, detectScreen(context).style), "\n"));
  const warnings = findings.filter(({ state }) => state === "warning");
  output.word(`${formatCount(faults.length, "fault")}, ${formatCount(warnings.length, "warning")}`);
  return faults.length === 0 ? done : { kind: "refused", code: "FAULT" };
}

export function formatFindings(findings: readonly Finding[], style: Style): Text[] {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const indent = " ".repeat(width + 4);
  return findings.flatMap(({ subject, state, words, remedy }, index) => {
    const [first = "", ...more] = words.split("\n").map(printableLine);
    // Several findings of one subject stand below its name.
    const name = findings[index - 1]?.subject === subject ? "" : subject;
    return [
      rich`${mark(state, style)} ${name.padEnd(width)}  ${first}`,
      ...more.map((line) => `${indent}${line}`),
      ...(remedy === undefined ? [] : [rich`${indent}${style.faint(`→ ${printableLine(remedy)}`)}`]),
    ];
  });
}

function mark(state: Finding["state"], style: Style): Text {
  if (state === "ok") return style.good("✔");
  if (state === "none") return style.faint("·");
  return state === "warning" ? style.warn("!") : style.error("✘");
}
