// SPDX-License-Identifier: MIT OR Apache-2.0
// Prints `--help`. Each verb's help fits a screen of 24 lines by 80 columns and shows an example.
import { type FlagTable, usageLines } from "./input/arguments.ts";
import { wrappedText } from "../display/styled.ts";
import { commonFlagsOf, type Sessions, type VerbSpec, type VerbTable } from "./input/verb.ts";

export function verbHelp(spec: VerbSpec): string {
  const own = flagLines(spec.flags);
  return [
    ...usageLines(spec),
    "",
    paragraph([spec.about, ...sessionWords(spec)].join(" ")),
    ...(own.length === 0 ? [] : ["", ...own]),
    "",
    ...flagLines(listedFlags(spec)),
    "",
    ...spec.examples.map((example, index) => `${index === 0 ? "example:" : "        "} ${example}`),
  ].join("\n");
}

/** Leaves `--help` out, as its readers have found it. */
function listedFlags({ neverStarts }: VerbSpec): FlagTable {
  const { help: _, ...others } = commonFlagsOf(neverStarts);
  return others;
}

/** Appended to the help of every verb that takes a session. */
function sessionWords({ usage, sessions = "live" }: VerbSpec): string[] {
  const references = "A session is given by its id, a unique prefix of the id, or its name";
  if (/<session>/.test(usage)) return [`${references}.`];
  if (!/\[session\]/.test(usage)) return [];
  return [`${references}; \`-\` is the last one used. Without it: ${sessionsMeant[sessions]}.`];
}

const sessionsMeant: Readonly<Record<Sessions, string>> = {
  live: "the only live one of this directory",
  any: "the only live one of this directory, or else the latest ended one",
  ended: "the latest ended one of this directory",
  resumable: "the only live one of this directory, or else the only ended one",
};

/** What `mix --help` prints: both kinds of verbs in one screen. */
export function mixHelp(agentVerbs: VerbTable, busVerbs: VerbTable): string {
  return [
    "usage: mix agent [<verb> …]   coding agents as sessions",
    "       mix <verb> …           the Bus itself",
    "",
    "mix agent:",
    ...groupsOf(agentVerbs).flatMap(([group, names]) => listLines(group, names)),
    "",
    "mix:",
    ...summaryLines(busVerbs, Object.keys(busVerbs)),
    "",
    "mix agent --help says more; mix agent <verb> --help explains one",
    beginning,
  ].join("\n");
}

/** What `mix agent --help` prints. */
export function agentHelp(agentVerbs: VerbTable): string {
  return [
    "usage: mix agent [<verb> …]   coding agents as sessions",
    "",
    "Without a verb, on a terminal: which sessions wait for you, run and ended.",
    ...groupsOf(agentVerbs).flatMap(([group, names]) => ["", `${group}:`, ...summaryLines(agentVerbs, names)]),
    "",
    paragraph(exitWords),
    "",
    "mix agent <verb> --help explains one",
    beginning,
  ].join("\n");
}

const beginning = 'to begin: mix agent start demo "write hello.txt"';

const exitWords =
  "exit codes: 0 done, 1 failed or cancelled, 2 usage, 3 time limit, 4 unknown or not available, 5 nobody to ask, 6 agentd or Bus not reachable, 7 login needed, 8 command id conflict, 130 interrupted, 141 broken pipe";

/** A verb that is in none of them is listed under the last. */
const groups = {
  agents: ["agents", "setup", "login", "env"],
  sessions: ["start", "send", "attach", "acp", "cancel", "set", "rename", "close", "resume"],
  questions: ["permit", "answer", "policy"],
  looking: ["ls", "show", "log", "wait", "export"],
  "the log": ["purge", "prune", "redact", "verify", "stats"],
  "the daemon": ["status", "doctor", "stop"],
} as const;

function groupsOf(verbs: VerbTable): [group: string, names: string[]][] {
  const grouped: ReadonlySet<string> = new Set(Object.values(groups).flat());
  const others = Object.keys(verbs).filter((name) => !grouped.has(name));
  return Object.entries(groups).map(([group, names], index, all) => {
    const known = names.filter((name) => Object.hasOwn(verbs, name));
    return [group, index === all.length - 1 ? [...known, ...others] : known];
  });
}

function paragraph(text: string): string {
  return wrappedText(text, helpColumns);
}

const helpColumns = 80;

function listLines(group: string, names: readonly string[]): string[] {
  return [`  ${group.padEnd(11)} ${names.join(", ")}`];
}

function summaryLines(verbs: VerbTable, names: readonly string[]): string[] {
  return names.map((name) => `  ${name.padEnd(11)} ${verbs[name]?.summary ?? ""}`);
}

function flagLines(flags: FlagTable): string[] {
  return Object.entries(flags).map(([name, flag]) => {
    const written = `${flag.short === undefined ? "" : `-${flag.short}, `}--${name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
    return `  ${written.padEnd(21)} ${flag.about}${flag.kind === "texts" ? " (repeatable)" : ""}`;
  });
}
