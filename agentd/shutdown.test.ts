// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { Shutdown } from "./shutdown.ts";

function setUp() {
  const events: string[] = [];
  const logger = {
    info: (text: string) => void events.push(text),
    error: (...all: unknown[]) => void events.push(String(all[1])),
  };
  return { events, shutdown: new Shutdown(logger as never) };
}

test("what was added last is closed first, one after the other, and once", async () => {
  const { events, shutdown } = setUp();
  for (const name of ["lock", "log", "sessions"]) {
    shutdown.add(async () => {
      await Promise.resolve();
      events.push(name);
    });
  }
  expect(shutdown.hasBegun).toBe(false);
  const first = shutdown.begin("a test");
  expect(shutdown.hasBegun).toBe(true);
  expect(shutdown.begin("once more")).toBe(first);
  await shutdown.done;
  expect(events).toEqual(["stopping: a test", "sessions", "log", "lock", "stopped"]);
});

test("a part that cannot be closed does not keep the others open", async () => {
  const { events, shutdown } = setUp();
  shutdown.add(() => void events.push("lock"));
  shutdown.add(() => Promise.reject(new Error("stuck")));
  await shutdown.begin("a test");
  expect(events).toEqual(["stopping: a test", "lock", "stopped, but not cleanly"]);
});
