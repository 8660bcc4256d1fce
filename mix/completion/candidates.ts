// SPDX-License-Identifier: MIT OR Apache-2.0
// Completes the last word of a command line from the verbs' table: usage lines and flags name each argument's kind.
import { entryKinds, sessionPhases } from "../../agentd/vocabulary/entries.ts";
import { colourWishes } from "../process/colour.ts";
import { type Flag, type FlagTable, formsOf, positionalRange } from "../input/arguments.ts";
import { findVerb, type Sessions, takenFlags, verbOf, type VerbSpec, type VerbTable } from "../input/verb.ts";

export interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

export interface Completion {
  /** What the shell itself completes if no candidate fits. */
  readonly byShell: "nothing" | "files" | "directories";
  readonly candidates: readonly Candidate[];
}

/** Candidates that agentd or another service must list. */
export type Listed =
  | "agents"
  | "live sessions"
  | "ended sessions"
  | "all sessions"
  | "permissions"
  | "elicitations"
  | "services"
  | "asks"
  | OptionValues;

/** The options of a session with each of their values, as `option=value`. */
export interface OptionValues {
  /** As it was typed; undefined for the session of this directory. */
  readonly optionsOf: string | undefined;
}

interface Lists {
  readonly all: readonly Listed[];
}

type Source = Listed | Lists | "files" | "directories" | readonly string[];

export interface VerbTables {
  readonly agentVerbs: VerbTable;
  readonly busVerbs: VerbTable;
}

/** `words` are those after `mix`, up to the cursor. `list` returns no candidates if its service cannot be asked. */
export async function completionOf(
  words: readonly string[],
  { agentVerbs, busVerbs }: VerbTables,
  list: (what: Listed) => Promise<readonly Candidate[]>,
): Promise<Completion> {
  const isAgent = words.length > 1 && words[0] === "agent";
  const [table, [name = "", ...rest]] = isAgent ? [agentVerbs, words.slice(1)] : [busVerbs, words];
  if (rest.length === 0 && name.startsWith("-"))
    return fitting(name, isAgent ? [help] : [help, { value: "--version" }]);
  if (rest.length === 0) return fitting(name, isAgent ? verbsOf(agentVerbs) : [agentGroup, ...verbsOf(busVerbs)]);
  if (isAgent && name === "help") return rest.length === 1 ? fitting(rest[0] ?? "", verbsOf(agentVerbs)) : nothing;
  const entry = findVerb(table, name);
  if (entry === undefined) return nothing;
  const { spec } = await verbOf(entry);
  const { typed, kept, source } = placeOf(name, spec, rest);
  if (source === undefined) return nothing;
  if (source === "files" || source === "directories") return { byShell: source, candidates: [] };
  return fitting(typed, await candidatesOf(source, list), kept);
}

async function candidatesOf(
  source: Listed | Lists | readonly (string | Candidate)[],
  list: (what: Listed) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (typeof source === "string" || "optionsOf" in source) return list(source);
  return "all" in source ? (await Promise.all(source.all.map(list))).flat() : source.map(toCandidate);
}

const nothing: Completion = { byShell: "nothing", candidates: [] };
const help: Candidate = { value: "--help" };
const agentGroup: Candidate = { value: "agent", about: "coding agents as sessions" };

function verbsOf(table: VerbTable): Candidate[] {
  return Object.entries(table).map(([value, { summary }]) => ({ value, about: summary }));
}

function toCandidate(value: string | Candidate): Candidate {
  return typeof value === "string" ? { value } : value;
}

/** `kept` is the part of the word before the completed part. */
function fitting(typed: string, candidates: readonly Candidate[], kept = ""): Completion {
  const found = candidates.filter(({ value }) => value.startsWith(typed));
  return { byShell: "nothing", candidates: found.map(({ value, about }) => ({ value: kept + value, about })) };
}

interface Place {
  readonly typed: string;
  readonly kept?: string;
  readonly source: Source | readonly Candidate[] | undefined;
}

function placeOf(verb: string, spec: VerbSpec, words: readonly string[]): Place {
  const typed = words.at(-1) ?? "";
  const flags = takenFlags(spec);
  const { positionals, given, awaiting, isPastFlags } = readWords(words.slice(0, -1), flags);
  if (awaiting !== undefined) return valuePlace(awaiting, typed, "");
  if (isPastFlags || !typed.startsWith("-")) return { typed, source: positionalSource(verb, spec, positionals) };
  const [, written = "", name = ""] = /^(--([^=]+)=)/.exec(typed) ?? [];
  if (written !== "") return valuePlace(flags[name], typed.slice(written.length), written);
  const open = Object.entries(flags).filter(([flag, { kind }]) => kind === "texts" || !given.has(flag));
  return { typed, source: open.map(([flag, { about }]) => ({ value: `--${flag}`, about })) };
}

interface ReadWords {
  readonly positionals: readonly string[];
  readonly given: ReadonlySet<string>;
  /** The flag whose value is the next word. */
  readonly awaiting: Flag | undefined;
  /** True after `--`. */
  readonly isPastFlags: boolean;
}

function readWords(words: readonly string[], flags: FlagTable): ReadWords {
  const positionals: string[] = [];
  const given = new Set<string>();
  let awaiting: Flag | undefined;
  let isPastFlags = false;
  for (const word of words) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (isPastFlags || word === "-" || !word.startsWith("-")) positionals.push(word);
    else if (word === "--") isPastFlags = true;
    else {
      const [name = "", value] = word.slice(2).split("=", 2);
      given.add(name);
      const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
      if (value === undefined && flag !== undefined && flag.kind !== "switch") awaiting = flag;
    }
  }
  return { positionals, given, awaiting, isPastFlags };
}

/** In a list such as `idle,wai`, completes the last item. */
function valuePlace(flag: Flag | undefined, typed: string, written: string): Place {
  const source = flag?.values ?? (flag?.value === undefined ? undefined : sources[flag.value]);
  const end = Array.isArray(source) ? typed.lastIndexOf(",") + 1 : 0;
  return { typed: typed.slice(end), kept: written + typed.slice(0, end), source };
}

/** Finds the source by the usage line. Undefined for a surplus word, and for free text. */
function positionalSource(verb: string, spec: VerbSpec, before: readonly string[]): Place["source"] {
  const index = before.length;
  if (index >= positionalRange(spec).max) return undefined;
  const places = formsOf(spec.usage, before).flatMap((form) => {
    const last = form.at(-1) ?? "";
    return form[index] ?? (isRepeated(last) ? last : []);
  });
  const [place = ""] = places;
  // No session's name contains an equals sign.
  const [first] = before;
  if (verb === "set" && index === 0) return { all: ["live sessions", { optionsOf: undefined }] };
  if (verb === "set") return { optionsOf: first?.includes("=") === true ? undefined : first };
  if (/^[<[]session\b/.test(place)) return sessionLists[spec.sessions ?? "live"];
  if (place === "[request]") return verb === "permit" ? "permissions" : "elicitations";
  return sources[place] ?? places.flatMap((one) => one.split("|")).filter((one) => /^[a-z]+$/.test(one));
}

function isRepeated(place: string): boolean {
  return place.includes("…") || place === "[prompt]" || place === "<prompt>";
}

const sessionLists: Readonly<Record<Sessions, Listed>> = {
  live: "live sessions",
  any: "all sessions",
  ended: "ended sessions",
  resumable: "all sessions",
};

/** Sources by the placeholders in usage lines and flags. Prompts and values can name files. */
const sources: Readonly<Record<string, Source>> = {
  "<agent>": "agents",
  AGENT: "agents",
  SESSION: "all sessions",
  "<service>": "services",
  "[ask]": "asks",
  "[login]": ["login"],
  "<ask>": "asks",
  "<topic>": ["agent.session.updated"],
  KIND: entryKinds,
  STATE: sessionPhases,
  // The built-in ones. The configuration may have more.
  POLICY: ["reads", "edits"],
  WHEN: colourWishes,
  WHAT: ["idle", "waiting", "ended", "any"],
  DIR: "directories",
  FILE: "files",
  "<request.json>": "files",
  "[prompt]": "files",
  "<prompt>": "files",
  "[key=value…]": "files",
  "[field=value…]": "files",
};
