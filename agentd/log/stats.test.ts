// SPDX-License-Identifier: MIT OR Apache-2.0
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { endedSession, runToEnd } from "./testing/maintained-log.ts";
import { alpha, bravo, fill, temporaryLog } from "./testing/temporary-log.ts";

test("statistics have the log's size and its largest sessions, without purged entries", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 40);
  fill(log, bravo, 10);
  fill(log, "instance", 20);
  expect(runToEnd(log.maintenance.stats())).toMatchObject({
    space: { file: statSync(log.file).size, writeAhead: statSync(`${log.file}-wal`).size, free: 0 },
    sessions: 2,
    ended: 1,
    purged: 0,
    entries: 73,
    fullest: [
      { session: alpha, entries: 43 },
      { session: "instance", entries: 20 },
      { session: bravo, entries: 10 },
    ],
  });
  expect(runToEnd(log.maintenance.stats(1)).fullest).toHaveLength(1);
  runToEnd(log.maintenance.purge(alpha));
  expect(runToEnd(log.maintenance.stats())).toMatchObject({
    sessions: 2,
    purged: 1,
    entries: 30,
    fullest: [{ session: "instance" }, { session: bravo }],
  });
});
