// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import { type OpenOf, whyNoRoom } from "./room.ts";

const few = { openMax: 10, openPerSourceMax: 6, openOfAgentsMax: 3, openPerAgentMax: 2 };

test.each<[string, OpenOf[], string | undefined]>([
  ["agent", [], undefined],
  ["agent", [{ source: "agent", open: 5 }], undefined],
  ["agent", [{ source: "agent", open: 6 }], "agent has 6"],
  [
    "agent",
    [
      { source: "a", open: 5 },
      { source: "b", open: 5 },
    ],
    "too many",
  ],
  ["mcp-a", [{ source: "agent", open: 6 }], undefined],
  ["mcp-a", [{ source: "mcp-a", open: 2 }], "mcp-a has 2"],
  ["mcp-b", [{ source: "mcp-a", open: 2 }], undefined],
  [
    "mcp-c",
    [
      { source: "mcp-a", open: 2 },
      { source: "mcp-b", open: 1 },
    ],
    "together",
  ],
  [
    "mcp-c",
    [
      { source: "a", open: 6 },
      { source: "b", open: 4 },
    ],
    "too many",
  ],
])("%s, where %j are open, is told: %s", (source, open, why) => {
  if (why === undefined) expect(whyNoRoom(source, open, few)).toBeUndefined();
  else expect(whyNoRoom(source, open, few)).toContain(why);
});

test("agents' own programs that ask for all they can get leave agentd its whole room", () => {
  const open = new Map<string, number>();
  const ask = (source: string): boolean => {
    const counted = Array.from(open, ([of, count]) => ({ source: of, open: count }));
    if (whyNoRoom(source, counted, limits) !== undefined) return false;
    open.set(source, (open.get(source) ?? 0) + 1);
    return true;
  };
  for (let agent = 0; agent < 100; agent += 1) while (ask(`mcp-s-abcdefghijkl-${agent}`));
  for (let n = 0; n < limits.openPerSourceMax; n += 1) expect(ask("agent")).toBe(true);
});
