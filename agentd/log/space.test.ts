// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quotaLevel, quotaReserve } from "./space.ts";
import { endedSession, runToEnd } from "./testing/maintained-log.ts";
import { alpha, bravo, fill, otherConnection, temporaryLog } from "./testing/temporary-log.ts";

const mib = 1024 * 1024;

test("space that a purge frees no longer counts as used, and the next entries fill it", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 1000, () => "x".repeat(4000));
  const full = log.maintenance.space();
  expect(full.used).toBeGreaterThan(4 * mib);
  const used: number[] = [];
  let mostFree = 0;
  runToEnd(log.maintenance.purge(alpha), () => {
    const space = log.maintenance.space();
    used.push(space.used);
    mostFree = Math.max(mostFree, space.free);
  });
  expect(used).toEqual(used.toSorted((left, right) => right - left));
  expect(mostFree).toBeGreaterThan(4 * mib);
  const purged = log.maintenance.space();
  expect(purged.used).toBeLessThan(mib / 4);
  expect(purged.free).toBe(0);
  fill(log, bravo, 100, () => "y".repeat(4000));
  expect(log.maintenance.space().used).toBeGreaterThan(purged.used + 400_000);
});

test("an open reader keeps the write-ahead log from being truncated, which is reported, and appends go on", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 600);
  const reader = otherConnection(log.file);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM entry").get();
  expect(runToEnd(log.maintenance.purge(alpha)).walTruncated).toBe(false);
  expect(log.maintenance.space().writeAhead).toBeGreaterThan(0);
  reader.exec("COMMIT");
  fill(log, bravo, 1);
  expect(runToEnd(log.maintenance.reclaimSpace())).toBe(true);
  expect(log.maintenance.space()).toMatchObject({ writeAhead: 0, free: 0 });
});

test("a quota warns from nine tenths on, is full at its end, and has a reserve for ending things", () => {
  const quota = 10_000 * mib;
  const reserve = quotaReserve(quota);
  expect(reserve).toBe(500 * mib);
  expect(quotaReserve(100 * mib)).toBe(64 * mib);
  expect(
    [0, 0.9 * quota - 1, 0.9 * quota, quota - 1, quota, quota + reserve - 1, quota + reserve].map((used) =>
      quotaLevel(used, quota),
    ),
  ).toEqual(["plenty", "plenty", "warning", "warning", "full", "full", "exhausted"]);
});

test("more use never gives a better level, whatever the quota", () => {
  const levels = ["plenty", "warning", "full", "exhausted"];
  const bytes = fc.nat({ max: 2 ** 40 });
  fc.assert(
    fc.property(bytes, bytes, bytes, (quota, less, more) => {
      const level = (used: number) => levels.indexOf(quotaLevel(used, quota));
      expect(level(Math.min(less, more))).toBeLessThanOrEqual(level(Math.max(less, more)));
    }),
  );
});
