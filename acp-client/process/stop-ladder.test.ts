// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { settlesWithin } from "./stop-ladder.ts";
import { eventually, isRunning, marked, shell, start, type StartedAgent } from "./testing/trees.ts";

async function ready(agent: StartedAgent): Promise<StartedAgent> {
  await eventually("it is ready", () => agent.stdout().includes("ready"));
  return agent;
}

test("an agent that exits when its stdin is closed gets no signal", async () => {
  await using agent = await ready(shell("trap 'exit 9' TERM; echo ready; cat >/dev/null; exit 4"));
  expect(await agent.agent.stop()).toEqual({ code: 4, signal: null });
});

test("an agent that keeps running gets SIGTERM, and its own exit code is reported", async () => {
  await using agent = await ready(shell("trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done"));
  expect(await agent.agent.stop({ stdinGraceMs: 20 })).toEqual({ code: 9, signal: null });
});

test("an agent that ignores SIGTERM is killed", async () => {
  await using agent = await ready(shell("trap '' TERM; echo ready; while :; do sleep 0.02; done"));
  expect(await agent.agent.stop({ stdinGraceMs: 20, termGraceMs: 50 })).toMatchObject({
    code: null,
    signal: "SIGKILL",
  });
});

test("an agent under SIGSTOP is killed too", async () => {
  await using agent = await ready(shell("echo ready; kill -STOP $$"));
  await agent.agent.stop({ stdinGraceMs: 20, termGraceMs: 20 });
  expect(marked(agent.marker)).toEqual([]);
});

test("the rest of the tree is killed even if the agent exited by itself", async () => {
  await using agent = await ready(shell("setsid sleep 600 >/dev/null 2>&1 & echo $!; echo ready; cat >/dev/null"));
  expect(await agent.agent.stop()).toEqual({ code: 0, signal: null, killed: 1 });
  expect(isRunning(Number.parseInt(agent.stdout(), 10))).toBe(false);
});

test("a child with a cleaned environment and its own session is killed, since it was recorded before its parent exited", async () => {
  // Ready once the child has called exec, with nothing left of its parent's environment.
  const untilItIs = `until read -r program </proc/$!/comm && [ "$program" = sleep ]; do :; done`;
  const script = `env -i PATH="$PATH" setsid sleep 600 >/dev/null 2>&1 & echo $!; ${untilItIs}; echo ready; cat >/dev/null`;
  await using agent = await ready(shell(script));
  await agent.agent.stop();
  expect(isRunning(Number.parseInt(agent.stdout(), 10))).toBe(false);
});

test("a second stop returns the promise of the first", async () => {
  await using agent = start(["cat"]);
  expect(agent.agent.stop()).toBe(agent.agent.stop({ stdinGraceMs: 0 }));
});

test("agents that are stopped at once are stopped in parallel", async () => {
  const stubborn = Array.from({ length: 5 }, () => shell("trap '' TERM; echo ready; while :; do sleep 0.02; done"));
  await Promise.all(stubborn.map(ready));
  const started = performance.now();
  await Promise.all(stubborn.map(({ agent }) => agent.stop({ stdinGraceMs: 1000, termGraceMs: 1000 })));
  expect(performance.now() - started).toBeLessThan(8000); // one after the other: 10,000 at least
});

test("a limit beyond the maximum of a timer is long, not zero", async () => {
  const event = new Promise((resolve) => setImmediate(resolve));
  for (const limitMs of [2 ** 31, 1e12, Number.POSITIVE_INFINITY])
    expect(await settlesWithin(event, limitMs)).toBe(true);
  expect(await settlesWithin(new Promise(() => {}), 1)).toBe(false);
});
