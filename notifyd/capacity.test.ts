// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import { type OpenCount, capacityError } from "./capacity.ts";

const few = {
  openMax: 10,
  openPerSourceMax: 6,
  openPerGroupMax: 6,
  openPerGroupCrowdedMax: 6,
  openOfAgentsMax: 3,
  openPerAgentMax: 2,
};

test.each<[string, [string, number][], string | undefined]>([
  ["agent", [], undefined],
  ["agent", [["agent", 5]], undefined],
  ["agent", [["agent", 6]], "agent has 6"],
  [
    "agent",
    [
      ["a", 5],
      ["b", 5],
    ],
    "too many",
  ],
  ["mcp-a", [["agent", 6]], undefined],
  ["mcp-a", [["mcp-a", 2]], "mcp-a has 2"],
  ["mcp-b", [["mcp-a", 2]], undefined],
  [
    "mcp-c",
    [
      ["mcp-a", 2],
      ["mcp-b", 1],
    ],
    "together",
  ],
  [
    "mcp-c",
    [
      ["a", 6],
      ["b", 4],
    ],
    "too many",
  ],
])("%s, with %j open, is refused with: %s", (source, counted, why) => {
  const open = counted.map(([of, count]): OpenCount => ({ source: of, group: null, open: count }));
  if (why === undefined) expect(capacityError({ source, group: null }, open, few)).toBeUndefined();
  else expect(capacityError({ source, group: null }, open, few)).toContain(why);
});

test("agents' own programs at their limits leave agentd its whole capacity", () => {
  const { ask, room } = asking();
  for (let agent = 0; agent < 100; agent += 1) while (ask(`mcp-s-abcdefghijkl-${agent}`, null));
  expect(room("agent")).toBe(limits.openPerSourceMax);
});

test("groups at their limits leave capacity for other groups of their source, and so do asks without a group", () => {
  const { ask } = asking();
  for (const group of [null, "a", "b", "c", "d", "e", "f", "g", "h", "i"]) while (ask("agent", group));
  for (let quiet = 0; quiet < 50; quiet += 1) {
    for (let n = 0; n < limits.openPerGroupCrowdedMax; n += 1) expect(ask("agent", `quiet-${quiet}`)).toBe(true);
  }
  expect(capacityError({ source: "agent", group: "a" }, [{ source: "agent", group: "a", open: 64 }], limits)).toContain(
    "a has 64",
  );
});

function asking() {
  const open = new Map<string, OpenCount & { open: number }>();
  const ask = (source: string, group: string | null): boolean => {
    if (capacityError({ source, group }, [...open.values()], limits) !== undefined) return false;
    const key = JSON.stringify([source, group]);
    const of = open.get(key) ?? { source, group, open: 0 };
    open.set(key, { ...of, open: of.open + 1 });
    return true;
  };
  /** Counts how many more asks the source may open, each in a group of its own. */
  const room = (source: string): number => {
    let count = 0;
    while (ask(source, `${count}`)) count += 1;
    return count;
  };
  return { ask, room };
}
