// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds a secret in JSON texts of the log, and replaces it. Everything that agents, people and programs wrote is searched.
// The vocabulary's own words, and the ids that link entries, are not.
import { type JsonString, jsonStrings, withJsonStrings } from "./json-strings.ts";
import type { SecretSearch } from "./secret-search.ts";
import type { Steps } from "./steps.ts";

/** What to replace in a text: stretches by the index of the string among the text's strings. */
export type Edits = ReadonlyMap<number, readonly Stretch[]>;

/** In UTF-16 code units before the string's end, so that it stays valid when something before it was replaced. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const replacement = "[redacted]";

/** Finds the secret in a string, also where it is written with JSON escapes. In order, without overlaps. */
export function* secretIn(value: string, secret: SecretSearch): Steps<Stretch[]> {
  const plain = yield* stretchesIn(value, secret);
  if (value.length > unescapedUnitsMax || !value.includes("\\")) return plain;
  const { text, starts } = unescaped(value);
  const escaped = yield* stretchesIn(text, secret);
  const units = (fromEnd: number) => value.length - starts[text.length - fromEnd]!;
  return mergeStretches([...plain, ...escaped.map(({ from, to }) => ({ from: units(from), to: units(to) }))]);
}

/** Unescaping is a single step. A longer string is searched only as it is written. */
const unescapedUnitsMax = 1024 * 1024;

/** Finds the secret in every replaceable string of a JSON text. */
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

/** Replaces each stretch by `[redacted]`. */
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
 * False for the top-level values of an entry or reply that agentd itself reads again, and for member names that the
 * vocabulary or ACP defines.
 */
export function isReplaceable({ path, isName }: JsonString): boolean {
  if (isName) return path.some((above, depth) => depth < path.length - 1 && freelyNamed.has(above));
  return path.length !== 1 || !preserved.has(path[0]);
}

/** Members whose content the agent can name freely. */
const freelyNamed: ReadonlySet<unknown> = new Set(["raw_input", "raw_output", "data", "_meta", "chosen"]);

const preserved: ReadonlySet<unknown> = new Set([
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
  // A code unit is at most three bytes of UTF-8.
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

/** Unescapes a JSON text within a string. `starts` has, for each code unit of the result, its index in the string. */
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

/** Sorts the stretches, and merges those that overlap. */
function mergeStretches(stretches: readonly Stretch[]): Stretch[] {
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
    result += value.slice(at, value.length - from) + replacement;
    at = value.length - to;
  }
  return result + value.slice(at);
}
