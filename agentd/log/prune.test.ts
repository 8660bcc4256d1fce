// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { EntryContent } from "../vocabulary/index.ts";
import { appendTo, startingState, closedState, runToEnd } from "./testing/maintained-log.ts";
import { alpha, bravo, fill, temporaryLog } from "./testing/temporary-log.ts";

function ended(state: "lost" | "failed"): EntryContent {
  return { kind: "state", state };
}

test("ended sessions with a last entry before the time are listed, oldest first, until they are purged", () => {
  let now = Date.parse("2030-01-01T00:00:00.000Z");
  const day = 24 * 3600 * 1000;
  const log = temporaryLog({ clock: { now: () => now } });
  const young = "youngyoungyy";
  const living = "livingliving";
  fill(log, "instance", 1);
  appendTo(log, alpha, startingState);
  appendTo(log, bravo, startingState, closedState);
  appendTo(log, living, startingState);
  now += day;
  appendTo(log, alpha, ended("lost"));
  now += day;
  appendTo(log, young, startingState, ended("failed"));
  const listed = (before: number) => runToEnd(log.maintenance.prunable(before)).map(({ session }) => session);
  expect(runToEnd(log.maintenance.prunable(now))).toEqual([
    { session: bravo, updated_at: "2030-01-01T00:00:00.000Z", entries: 2 },
    { session: alpha, updated_at: "2030-01-02T00:00:00.000Z", entries: 2 },
  ]);
  expect(listed(now - day)).toEqual([bravo]);
  expect(listed(now - 2 * day)).toEqual([]);
  expect(listed(now + 1)).toEqual([bravo, alpha, young]);
  runToEnd(log.maintenance.purge(bravo));
  expect(listed(now)).toEqual([alpha]);
  now += day;
  appendTo(log, bravo, closedState);
  expect(listed(now + day)).toEqual([alpha, young, bravo]);
});

test("thousands of sessions are scanned in steps", () => {
  const log = temporaryLog();
  const name = (index: number) => `s${String(index).padStart(11, "a")}`;
  const commits = Array.from({ length: 2500 }, (_, index) => ({
    session: name(index),
    expectSeq: 0,
    entries: [closedState],
  }));
  log.append(commits);
  let steps = 0;
  const found = runToEnd(log.maintenance.prunable(Date.now() + 1000), () => (steps += 1));
  expect(found.map(({ session }) => session)).toEqual(commits.map(({ session }) => session));
  expect(steps).toBe(3);
});

test("an invalid time is refused", () => {
  const log = temporaryLog();
  expect(() => log.maintenance.prunable(Number.NaN).next()).toThrow(RangeError);
});
