// SPDX-License-Identifier: MIT OR Apache-2.0
// Prints `--help`. Each verb's help fits a screen of 24 lines by 80 columns and shows an example.
import type { FlagTable } from "./input/arguments.ts";
import { WordWrap } from "./view/word-wrap.ts";
import { commonFlagsOf, type VerbSpec, type VerbTable } from "./input/verb.ts";

export function verbHelp(spec: VerbSpec): string {
  const own = flagLines(spec.flags);
  return [
    `usage: mix ${spec.usage}`,
    "",
    wrapped(spec.usage.includes("<session>") ? `${spec.about} ${sessionWords}` : spec.about),
    ...(own.length === 0 ? [] : ["", ...own]),
    "",
    ...flagLines(commonFlagsOf(spec.neverStarts)),
    "",
    ...spec.examples.map((example, index) => `${index === 0 ? "example:" : "        "} ${example}`),
  ].join("\n");
}

/** Appended to the help of every verb that takes a session. */
const sessionWords = "A session is given by its id, a unique prefix of the id, or its name.";

export function overviewHelp(agentVerbs: VerbTable, busVerbs: VerbTable): string {
  return [
    "usage: mix agent <verb> …   coding agents as sessions",
    ...summaryLines(agentVerbs),
    "",
    "       mix <verb> …         the Bus itself",
    ...summaryLines(busVerbs),
    "",
    wrapped(exitWords),
    "",
    'mix agent <verb> --help explains one; try: mix agent start demo "write hello.txt"',
  ].join("\n");
}

const exitWords =
  "exit codes: 0 done, 1 failed or cancelled, 2 usage, 3 time limit, 4 unknown or not available, 5 nobody to ask, 6 agentd or Bus not reachable, 7 login needed, 8 command id conflict, 130 interrupted, 141 broken pipe";

function wrapped(text: string): string {
  const wrap = new WordWrap(helpColumns);
  return wrap.write(text) + wrap.flush();
}

const helpColumns = 80;

function summaryLines(verbs: VerbTable): string[] {
  return Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`);
}

function flagLines(flags: FlagTable): string[] {
  return Object.entries(flags).map(([name, flag]) => {
    const written = `${flag.short === undefined ? "" : `-${flag.short}, `}--${name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
    return `  ${written.padEnd(21)} ${flag.about}${flag.kind === "texts" ? " (repeatable)" : ""}`;
  });
}
