// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses the words after a verb by the verb's table of flags. An unknown flag is a usage error.
import { parseArgs } from "node:util";
import { closestWord } from "../../display/closest-word.ts";
import { readDuration } from "../../display/durations.ts";
import { type MixError, usageError } from "../process/mix-error.ts";

export interface Flag {
  /** `switch` takes no value; `texts` may be given several times. */
  readonly kind: "switch" | "text" | "texts";
  readonly short?: string;
  /** Placeholder of the value in help, such as `DIR`. */
  readonly value?: string;
  /** The values that completion offers. Default: by the placeholder. */
  readonly values?: readonly string[];
  readonly about: string;
  /** Shown in the usage line. */
  readonly isMain?: true;
}
export type FlagTable = Readonly<Record<string, Flag>>;

export interface PositionalRange {
  readonly min: number;
  readonly max: number;
}

/** The arguments of a verb. `usage` is the usage line after `mix`, such as `agent start <agent> [prompt]`. */
export interface ArgumentSpec {
  readonly usage: string;
  readonly flags: FlagTable;
  /** Default: the words in angle brackets of the usage line, and at most also those in square brackets. */
  readonly positionals?: PositionalRange;
}

export function positionalRange({ usage, positionals }: Omit<ArgumentSpec, "flags">): PositionalRange {
  const min = usage.match(/<[^>]+>/g)?.length ?? 0;
  return positionals ?? { min, max: min + (usage.match(/\[[^\]]+\]/g)?.length ?? 0) };
}

/** The usage with the verb's main flags, wrapped to 80 columns between its forms and flags. */
export function usageLines({ usage, flags }: ArgumentSpec): string[] {
  const main = Object.entries(flags).flatMap(([name, flag]) => (flag.isMain === true ? [usageOf(name, flag)] : []));
  const [first = "", ...forms] = usage.split(" | ");
  const rows = [`usage: mix ${first}`];
  for (const part of [...forms.map((form) => `| ${form}`), ...main]) {
    const row = `${rows.at(-1) ?? ""} ${part}`;
    if (row.length <= usageColumns) rows[rows.length - 1] = row;
    else rows.push(`         ${part}`);
  }
  return rows;
}

const usageColumns = 80;

function usageOf(name: string, { short, value, kind }: Flag): string {
  const flag = short === undefined ? `--${name}` : `-${short}`;
  return `[${flag}${value === undefined ? "" : ` ${value}`}]${kind === "texts" ? "…" : ""}`;
}

/** Throws a usage error for a flag that the table does not have, and for too few or too many words. */
export function parseArguments(words: readonly string[], spec: ArgumentSpec): Arguments {
  const { flags, usage } = spec;
  const range = positionalRange(spec);
  const { values, positionals } = parsedWords(words, flags, usage);
  const parsed = new Arguments(values, positionals, usage);
  // With --help nothing else is checked: nobody has to write a valid command line to get help.
  if (values["help"] === true || values["version"] === true) return parsed;
  if (positionals.length < range.min) throw missing(usage, positionals.length, positionals);
  if (positionals.length > range.max) throw misused(usage, `too many words: ${positionals.slice(range.max).join(" ")}`);
  return parsed;
}

export class Arguments {
  readonly positionals: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #usage: string;

  constructor(values: Readonly<Record<string, unknown>>, positionals: readonly string[], usage: string) {
    this.#values = values;
    this.positionals = positionals;
    this.#usage = usage;
  }

  /** Returns the n-th word after the verb, counted from 0. Throws a usage error if it is missing. */
  word(index: number): string {
    const word = this.positionals[index];
    if (word === undefined) throw missing(this.#usage, index, this.positionals);
    return word;
  }

  switch(flag: string): boolean {
    return this.#values[flag] === true;
  }

  text(flag: string): string | undefined {
    const value = this.#values[flag];
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value === "") throw usageError(`--${flag} must not be empty`);
    return value;
  }

  texts(flag: string): readonly string[] {
    const value = this.#values[flag];
    return Array.isArray(value) ? (value as string[]) : [];
  }

  /** Throws a usage error unless the value is a whole number of at least `min`. */
  count(flag: string, min: number): number | undefined {
    const text = this.text(flag);
    if (text === undefined) return undefined;
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(count >= min)) throw usageError(`--${flag} takes a whole number of at least ${min}, not ${text}`);
    return count;
  }

  /** Throws a usage error for any other word. */
  choice<Known extends string>(flag: string, known: readonly Known[]): Known | undefined {
    const text = this.text(flag);
    return text === undefined ? undefined : knownWord(flag, text, known);
  }

  /** The same for several words: with commas between them, or in a repeated flag. */
  choices<Known extends string>(flag: string, known: readonly Known[]): readonly Known[] {
    const texts = this.#values[flag] as string | readonly string[] | undefined;
    const words = [texts ?? []].flat().flatMap((text) => text.split(","));
    return words.map((word) => knownWord(flag, word, known));
  }

  /** Returns milliseconds. Throws a usage error for anything but a duration. */
  duration(flag: string): number | undefined {
    const text = this.text(flag);
    if (text === undefined) return undefined;
    const reading = readDuration(text);
    if (!reading.ok) throw usageError(`--${flag}: ${reading.reason}`);
    return reading.value;
  }
}

function knownWord<Known extends string>(flag: string, word: string, known: readonly Known[]): Known {
  const found = known.find((one) => one === word);
  if (found === undefined) throw usageError(`--${flag} takes ${known.join(", ")}, not ${word}`);
  return found;
}

function missing(usage: string, index: number, given: readonly string[]): MixError {
  return misused(usage, `${placeName(usage, index, given)} is missing`);
}

/** A usage error that shows the usage line. */
export function misused(usage: string, message: string): MixError {
  return usageError(`${message}${message.endsWith("?") ? "" : ";"} usage: mix ${usage}; more with --help`);
}

/** The name of the n-th word in the usage line; among several forms, in the first that is long enough. */
function placeName(usage: string, index: number, given: readonly string[]): string {
  const names = formsOf(usage, given).flatMap((form) => form[index] ?? []);
  return (index === 0 ? names.join(" or ") : names[0]) ?? usage.replace(/^agent /, "").split(" ", 1)[0] ?? "";
}

/** The words after the verb in each form of a usage line; only of the form that `given` begins, if there is one. */
export function formsOf(usage: string, given: readonly string[]): readonly (readonly string[])[] {
  const [, ...places] = usage.replace(/^agent /, "").split(" ");
  const forms = places
    .join(" ")
    .split(" | ")
    .map((form) => form.split(" "));
  const begun = forms.filter(([first]) => first === given[0]);
  return begun.length > 0 ? begun : forms;
}

function parsedWords(words: readonly string[], flags: FlagTable, usage: string): ReturnType<typeof parseArgs> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.kind === "switch" ? ("boolean" as const) : ("string" as const),
        multiple: flag.kind === "texts",
        ...(flag.short === undefined ? {} : { short: flag.short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: true });
  } catch (error) {
    if (error instanceof TypeError) throw misused(usage, describeFault(error.message, flags));
    throw error;
  }
}

function describeFault(message: string, flags: FlagTable): string {
  const unknown = /^Unknown option '--([^'=]+)/.exec(message)?.[1];
  const meant = unknown === undefined ? undefined : closestWord(unknown.replaceAll("-", "_"), flagWords(flags));
  const fault = firstSentence(message);
  return meant === undefined ? fault : `${fault}; did you mean --${meant.replaceAll("_", "-")}?`;
}

// closestWord ignores underscores, so that --nowait is taken for --no-wait.
function flagWords(flags: FlagTable): string[] {
  return Object.keys(flags).map((name) => name.replaceAll("-", "_"));
}

// The second sentence of Node's message explains `--` and is longer than a terminal line.
function firstSentence(message: string): string {
  return message.split(". To specify")[0]?.replace(/\.?\s*$/, "") ?? message;
}
