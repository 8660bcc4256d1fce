// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent has reported about a tool call, as far as policies use it: kinds and paths, but no text meant for people.

/** Members of ACP's tool call; absent and null members were not reported. */
export interface ToolCallReport {
  readonly kind?: unknown;
  readonly locations?: unknown;
  readonly content?: unknown;
  readonly incomplete?: unknown;
  /** Whether it announces the call. If its id was used before, the earlier paths do not apply. */
  readonly announces?: boolean;
}

export interface ToolCallFacts {
  /** At most two, since a policy only checks whether there is more than one. */
  readonly kinds: readonly string[];
  /** The latest report; null for a location without a path or with one that is too long. */
  readonly locations: readonly (string | null)[];
  /** Paths of the diffs in its content. */
  readonly diffs: readonly (string | null)[];
  /** Part of a report could not be parsed, so facts may be missing. */
  readonly incomplete: boolean;
}

/** UTF-16 units. Longer kinds are not kept, since there are many calls. */
const kindCharactersMax = 256;
/** Replaces a longer kind; no rule has this name. */
const kindTooLong = "(too long)";
const pathCharactersMax = 4_096;
/** UTF-16 units of all paths in one list. */
const pathsCharactersMax = 32 * 1024;

export const noFacts: ToolCallFacts = { kinds: [], locations: [], diffs: [], incomplete: false };

/** Merges one more report. Keeps `pathsMax` + 1 paths of each list, so that the excess can be told. */
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

export class ToolCallHistory {
  readonly #callsMax: number;
  readonly #pathsMax: number;
  readonly #calls = new Map<string, ToolCallFacts>();

  /** `callsMax`: calls to remember; beyond it the oldest is forgotten. */
  constructor(callsMax: number, pathsMax: number) {
    this.#callsMax = callsMax;
    this.#pathsMax = pathsMax;
  }

  /** Returns the facts before this report. */
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
