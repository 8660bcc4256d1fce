// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import * as z from "zod";
import { ToolRunner } from "./tool-runner.ts";
import { callsMax, waitsMax } from "./limits.ts";
import { BusConnection } from "./bus-connection.ts";
import { tool, type ToolContext } from "./tool.ts";

const connection = new BusConnection({
  surroundings: { env: {}, uid: 0, home: "/" },
  name: () => "mcp-test",
  version: "0",
});

function toolThat(waits: boolean, run: () => Promise<readonly string[]>) {
  return tool({ name: "test", description: "", arguments: z.strictObject({}), readOnly: true, waits, run });
}

test.each([
  ["call", false, callsMax],
  ["wait", true, waitsMax],
])("a cancelled %s frees its slot at once, and only once", async (_, waits, max) => {
  const runner = new ToolRunner();
  const run = (act: () => Promise<readonly string[]>, signal = new AbortController().signal) => {
    const context: ToolContext = { connection, denied: [], signal };
    return runner.run(toolThat(waits, act), {}, context);
  };
  const givenUp = new AbortController();
  let end: () => void = () => {};
  const held = new Promise<readonly string[]>((resolve) => (end = () => resolve([])));
  const first = run(() => held, givenUp.signal);
  const others = Array.from({ length: max - 1 }, () => run(() => held));
  expect(await run(async () => ["late"])).toMatchObject({ isError: true });
  givenUp.abort();
  // Synchronously, before any of the held calls continues.
  const next = run(() => held);
  expect(await run(async () => ["one too many"])).toMatchObject({ isError: true });
  end();
  expect(await next).toMatchObject({ isError: false });
  expect(await Promise.all([first, ...others])).toHaveLength(max);
  const again = Array.from({ length: max }, () => run(async () => ["there is room"]));
  expect((await Promise.all(again)).every(({ isError }) => !isError)).toBe(true);
});
