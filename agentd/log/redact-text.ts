// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a secret stands in JSON texts of the log, and those texts without it. What the agent, people and programs said
// is looked through; the words of the vocabulary itself and the names by which entries find each other are left.
import { type JsonString, jsonStrings, withJsonStrings } from "./json-strings.ts";
import type { SecretSearch } from "./secret-search.ts";
import type { Steps } from "./steps.ts";

/** For each string of a text, by its place among the text's strings, what of it goes. */
export type Edits = ReadonlyMap<number, readonly Stretch[]>;

/** UTF-16 code units before the string's end: so it still names the same text when something before it was replaced. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const redactedWord = "[redacted]";

/** In one string, in order, none over another; also where the secret is written with JSON's escapes in it. */
export function* secretIn(value: string, secret: SecretSearch): Steps<Stretch[]> {
  const plain = yield* stretchesIn(value, secret);
  if (value.length > unescapedUnitsMax || !value.includes("\\")) return plain;
  const { text, starts } = unescaped(value);
  const spelled = yield* stretchesIn(text, secret);
  const units = (fromEnd: number) => value.length - starts[text.length - fromEnd]!;
  return merged([...plain, ...spelled.map(({ from, to }) => ({ from: units(from), to: units(to) }))]);
}

/** Reading it once more is one step: a text within a longer string is looked through as it stands, not as it reads. */
const unescapedUnitsMax = 1024 * 1024;

/** In every string of a JSON text that may be replaced. */
export function* secretInJson(text: string, secret: SecretSearch): Steps<Edits> {
  const edits = new Map<number, readonly Stretch[]>();
  let place = 0;
  for (const string of jsonStrings(text)) {
    if (isReplaceable(string)) {
      const stretches = yield* secretIn(string.value, secret);
      if (stretches.length > 0) edits.set(place, stretches);
    }
    place += 1;
  }
  return edits;
}

/** The text with `[redacted]` for each stretch. */
export function withoutSecret(text: string, edits: Edits): string {
  const replaced: { from: number; to: number; value: string }[] = [];
  let place = 0;
  for (const { from, to, value } of jsonStrings(text)) {
    const stretches = edits.get(place);
    if (stretches) replaced.push({ from, to, value: withoutStretches(value, stretches) });
    place += 1;
  }
  return withJsonStrings(text, replaced);
}

/**
 * Not the values at the top of an entry or a reply by which agentd itself reads it again, and names only where they
 * are not the vocabulary's or ACP's.
 */
export function isReplaceable({ path, name }: JsonString): boolean {
  if (name) return path.some((above, depth) => depth < path.length - 1 && namesAtWill.has(above));
  return path.length !== 1 || !kept.has(path[0]);
}

/** Members in which an agent, or an option of it, is free to name what it likes. */
const namesAtWill: ReadonlySet<unknown> = new Set(["raw_input", "raw_output", "data", "_meta", "chosen"]);

const kept: ReadonlySet<unknown> = new Set([
  "log",
  "session",
  "at",
  "kind",
  "verb",
  "command_id",
  "origin",
  "role",
  "phase",
  "state",
  "request",
  "parent",
  "error_code",
]);

function* stretchesIn(text: string, secret: SecretSearch): Steps<Stretch[]> {
  // A code unit is one byte of UTF-8 at least and three at most.
  if (text.length * 3 < secret.length) return [];
  const bytes = Buffer.from(text);
  const found = yield* secret.occurrences(bytes);
  let at = 0;
  let units = 0;
  return found.map((start) => {
    units += bytes.toString("utf8", at, start).length;
    const from = text.length - units;
    at = start + secret.length;
    units += bytes.toString("utf8", start, at).length;
    return { from, to: text.length - units };
  });
}

/** A JSON text within a string, read once more; `starts` says where in the string each unit of it began. */
function unescaped(value: string): { text: string; starts: Uint32Array } {
  const starts = new Uint32Array(value.length + 1);
  let text = "";
  for (let at = 0; at < value.length;) {
    const escape = value[at] === "\\" ? escapeAt(value, at) : undefined;
    starts[text.length] = at;
    text += escape?.unit ?? value[at];
    at += escape?.length ?? 1;
  }
  starts[text.length] = value.length;
  return { text, starts };
}

function escapeAt(value: string, at: number): { unit: string; length: number } | undefined {
  const letter = value[at + 1] ?? "";
  const short = shortEscapes[letter];
  if (short !== undefined) return { unit: short, length: 2 };
  const digits = value.slice(at + 2, at + 6);
  return letter === "u" && /^[0-9a-f]{4}$/i.test(digits)
    ? { unit: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
    : undefined;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** In order, and one where they lie over each other. */
function merged(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { from, to } of stretches.toSorted((left, right) => right.from - left.from)) {
    const last = result.at(-1);
    if (last && from > last.to) result[result.length - 1] = { from: last.from, to: Math.min(to, last.to) };
    else result.push({ from, to });
  }
  return result;
}

function withoutStretches(value: string, stretches: readonly Stretch[]): string {
  let result = "";
  let at = 0;
  for (const { from, to } of stretches) {
    result += value.slice(at, value.length - from) + redactedWord;
    at = value.length - to;
  }
  return result + value.slice(at);
}
