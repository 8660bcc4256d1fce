// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import * as z from "zod";
import { Desk } from "./desk.ts";
import { callsMax, waitsMax } from "./limits.ts";
import { Presence } from "./presence.ts";
import { tool, type ToolContext } from "./tool.ts";

const presence = new Presence({ surroundings: { env: {}, uid: 0, home: "/" }, name: () => "mcp-test", version: "0" });

function toolThat(waits: boolean, run: () => Promise<readonly string[]>) {
  return tool({ name: "test", description: "", arguments: z.strictObject({}), readOnly: true, waits, run });
}

test.each([
  ["call", false, callsMax],
  ["wait", true, waitsMax],
])("a %s that is given up makes room at once, and once only", async (_, waits, max) => {
  const desk = new Desk();
  const run = (act: () => Promise<readonly string[]>, signal = new AbortController().signal) => {
    const context: ToolContext = { presence, denied: [], signal };
    return desk.run(toolThat(waits, act), {}, context);
  };
  const givenUp = new AbortController();
  let end: () => void = () => {};
  const held = new Promise<readonly string[]>((resolve) => (end = () => resolve([])));
  const first = run(() => held, givenUp.signal);
  const others = Array.from({ length: max - 1 }, () => run(() => held));
  expect(await run(async () => ["late"])).toMatchObject({ isError: true });
  givenUp.abort();
  // In the same breath, before anything that was held has gone on.
  const next = run(() => held);
  expect(await run(async () => ["one too many"])).toMatchObject({ isError: true });
  end();
  expect(await next).toMatchObject({ isError: false });
  expect(await Promise.all([first, ...others])).toHaveLength(max);
  const again = Array.from({ length: max }, () => run(async () => ["there is room"]));
  expect((await Promise.all(again)).every(({ isError }) => !isError)).toBe(true);
});
