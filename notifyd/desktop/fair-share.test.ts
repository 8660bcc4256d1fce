// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { fairShare } from "./fair-share.ts";

interface One {
  readonly id: string;
  readonly ask: { readonly source: string; readonly group: string | null };
  isShown: boolean;
}

test("a single ask of a group or source is shown beside many asks of another", () => {
  const loud = many(40, "agent", "a");
  for (const quiet of [one("agent", "b"), one("other"), one("mcp-x")]) {
    expect(counts(fairShare([...loud, quiet], 16))).toEqual([1, 15]);
  }
});

test("a lone group has the whole screen, oldest asks first", () => {
  const loud = many(40, "agent", "a");
  expect([...fairShare(loud, 16)]).toEqual(loud.slice(0, 16));
});

test("sources share equally, then their groups, and agents' own programs together have one share", () => {
  const groups = ["a", "b", "c", "d"].flatMap((group) => many(8, "agent", group));
  const own = Array.from({ length: 12 }, (_, n) => one(`mcp-${n}`));
  const shared = fairShare([...own, ...groups, ...many(8, "other")], 12);
  expect(counts(shared)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 4]);
});

test("shown asks stay, except the newest of the largest share when another needs a place", () => {
  const [loud, other] = [many(10, "agent", "a"), many(10, "agent", "b")];
  for (const shown of [...loud.slice(0, 3), other[0]]) if (shown) shown.isShown = true;
  const staying = [loud[0], loud[1], other[0], other[1]];
  expect(fairShare([...loud, ...other], 4)).toEqual(new Set(staying));
});

test("for any asks the screen is full, shares of waiting sources differ by at most one, and the choice is stable", () => {
  const asked = fc.record({
    source: fc.constantFrom("agent", "other", "mcp-1", "mcp-2"),
    group: fc.constantFrom(null, "a", "b", "c"),
    isShown: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 40 }), fc.integer({ min: 1, max: 16 }), (asks, max) => {
      const all = asks.map(({ source, group, isShown }) => ({ ...one(source, group), isShown }));
      const first = fairShare(all, max);
      expect(first.size).toBe(Math.min(max, all.length));
      const left = all.filter((each) => !first.has(each));
      for (const { ask } of left) {
        const party = (each: One) => each.ask.source.slice(0, 4);
        const of = (name: string) => [...first].filter((each) => party(each) === name).length;
        for (const each of first) expect(of(party(each))).toBeLessThanOrEqual(of(ask.source.slice(0, 4)) + 1);
      }
      for (const each of all) each.isShown = first.has(each);
      expect(fairShare(all, max)).toEqual(first);
    }),
  );
});

let ids = 0;
function one(source: string, group: string | null = null): One {
  return { id: `${(ids += 1)}`, ask: { source, group }, isShown: false };
}

function many(count: number, source: string, group: string | null = null): One[] {
  return Array.from({ length: count }, () => one(source, group));
}

/** The number of asks of each group of each source, ascending. */
function counts(shared: ReadonlySet<One>): number[] {
  const counted = new Map<string, number>();
  for (const { ask } of shared) {
    const name = JSON.stringify(ask);
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
  return [...counted.values()].toSorted((a, b) => a - b);
}
