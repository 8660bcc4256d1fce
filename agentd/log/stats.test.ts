// SPDX-License-Identifier: MIT OR Apache-2.0
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { endedSession, taken } from "./testing/maintained-log.ts";
import { alpha, bravo, fill, temporaryLog } from "./testing/temporary-log.ts";

test("what the log takes and who fills it is told, without what was purged", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 40);
  fill(log, bravo, 10);
  fill(log, "instance", 20);
  expect(taken(log.maintenance.stats())).toMatchObject({
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
  expect(taken(log.maintenance.stats(1)).fullest).toHaveLength(1);
  taken(log.maintenance.purge(alpha));
  expect(taken(log.maintenance.stats())).toMatchObject({
    sessions: 2,
    purged: 1,
    entries: 30,
    fullest: [{ session: "instance" }, { session: bravo }],
  });
});
