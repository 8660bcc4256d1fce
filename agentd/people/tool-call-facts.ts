// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent has said of a tool call, as far as a policy goes by it: kinds and paths, and no text that is for people.

/** Members as ACP has them; what is absent or null was not said. */
export interface ToolCallReport {
  readonly kind?: unknown;
  readonly locations?: unknown;
  readonly content?: unknown;
  readonly incomplete?: unknown;
  /** It announces the call: under an id that was used before, what was said of places there is not said of this one. */
  readonly announces?: boolean;
}

export interface ToolCallFacts {
  /** Two at most: more than one is all that counts. */
  readonly kinds: readonly string[];
  /** As they were said last; null for one without a path, or with one that is too long. */
  readonly locations: readonly (string | null)[];
  /** Of the files that its content would change. */
  readonly diffs: readonly (string | null)[];
  /** Something that was said of it could not be read: what is here may not be all. */
  readonly incomplete: boolean;
}

/** UTF-16 units. Each of many calls holds its own, so what is longer is not held. */
const kindCharactersMax = 256;
/** Stands for a longer one: no rule names it. */
const kindTooLong = "(too long)";
const pathCharactersMax = 4_096;
/** Of one list of paths. */
const pathsCharactersMax = 32 * 1024;

export const noFacts: ToolCallFacts = { kinds: [], locations: [], diffs: [], incomplete: false };

/** After one more thing that was said of the call. Of each list of paths, `pathsMax` and one more are kept. */
export function mergeReport(sight: ToolCallFacts, said: ToolCallReport, pathsMax: number): ToolCallFacts {
  const { locations, content, announces } = said;
  const before = announces === true ? noFacts : sight;
  const kind = typeof said.kind === "string" && said.kind.length > kindCharactersMax ? kindTooLong : said.kind;
  const isNew = typeof kind === "string" && sight.kinds.length < 2 && !sight.kinds.includes(kind);
  return {
    kinds: isNew ? [...sight.kinds, kind] : sight.kinds,
    locations: Array.isArray(locations) ? pathsOf(locations, pathsMax) : before.locations,
    diffs: Array.isArray(content) ? pathsOf(content.filter(isDiff), pathsMax) : before.diffs,
    incomplete: sight.incomplete || said.incomplete === true,
  };
}

/** The tool calls of one agent. */
export class ToolCallHistory {
  readonly #callsMax: number;
  readonly #pathsMax: number;
  readonly #calls = new Map<string, ToolCallFacts>();

  /** `callsMax`: calls that are remembered; the one first seen longest ago is forgotten for one more. */
  constructor(callsMax: number, pathsMax: number) {
    this.#callsMax = callsMax;
    this.#pathsMax = pathsMax;
  }

  /** What was seen of the call before. */
  record(call: string, said: ToolCallReport): ToolCallFacts {
    const before = this.#calls.get(call);
    const [oldest] = this.#calls.keys();
    if (!before && oldest !== undefined && this.#calls.size >= this.#callsMax) this.#calls.delete(oldest);
    this.#calls.set(call, mergeReport(before ?? noFacts, said, this.#pathsMax));
    return before ?? noFacts;
  }
}

function isDiff(item: unknown): boolean {
  return typeof item === "object" && item !== null && (item as { type?: unknown }).type === "diff";
}

function pathsOf(items: readonly unknown[], pathsMax: number): (string | null)[] {
  let left = pathsCharactersMax;
  return items.slice(0, pathsMax + 1).map((item) => {
    const path = typeof item === "object" && item !== null ? (item as { path?: unknown }).path : undefined;
    if (typeof path !== "string" || path.length > Math.min(left, pathCharactersMax)) return null;
    left -= path.length;
    return path;
  });
}
