// SPDX-License-Identifier: MIT OR Apache-2.0
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { LogMaintenance } from "./log-maintenance.ts";
import type { Log } from "./log/open.ts";
import { endedSession, filesWith } from "./log/testing/maintained-log.ts";
import { alpha, bravo, temporaryLog } from "./log/testing/temporary-log.ts";

/** The same log, and the number of times its space was reclaimed. */
function counted(log: Log): { readonly log: Log; readonly timesReclaimed: () => number } {
  let times = 0;
  const reclaimSpace: Log["maintenance"]["reclaimSpace"] = () => {
    times += 1;
    return log.maintenance.reclaimSpace();
  };
  return { log: { ...log, maintenance: { ...log.maintenance, reclaimSpace } }, timesReclaimed: () => times };
}

test("a prune reclaims the space of all its sessions once, and leaves nothing of them in the files", async () => {
  const real = temporaryLog();
  const { log, timesReclaimed } = counted(real);
  for (const session of [alpha, bravo, "carolcarolcc"]) endedSession(real, session, 300, () => "the-pruned-text");
  const before = new Date(Date.now() + 60_000).toISOString();
  const kept = await new LogMaintenance(log).run("instance", 1, { verb: "agent.log.prune", args: { before } } as never);
  expect(kept).toMatchObject({ rc: 0, body: { sessions: [alpha, bravo, "carolcarolcc"] } });
  expect(timesReclaimed()).toBe(1);
  expect(log.maintenance.space().free).toBe(0);
  expect(filesWith(real, "the-pruned-text")).toEqual([]);
});

test("space that a killed agentd had not reclaimed is reclaimed by the next one", async () => {
  const real = temporaryLog();
  const { log, timesReclaimed } = counted(real);
  endedSession(real, alpha, 2000, () => "x".repeat(1000));
  for (const _ of real.maintenance.remove(alpha));
  expect(log.maintenance.space().free).toBeGreaterThan(0);
  const maintenance = new LogMaintenance(log);
  await maintenance.finishPurges();
  expect(timesReclaimed(), "the Bus would wait for it").toBe(0);
  await maintenance.reclaimSpace();
  expect(timesReclaimed()).toBe(1);
  expect(log.maintenance.space().free).toBe(0);
  await new LogMaintenance(log).reclaimSpace();
  expect(timesReclaimed()).toBe(1);
});

test("a prune whose log is removed meanwhile fails with STORE_FAILED, and does not touch the removed file", async () => {
  const real = temporaryLog();
  const { log, timesReclaimed } = counted(real);
  for (const session of [alpha, bravo]) endedSession(real, session, 300);
  const before = new Date(Date.now() + 60_000).toISOString();
  const kept = new LogMaintenance(log).run("instance", 1, { verb: "agent.log.prune", args: { before } } as never);
  rmSync(real.file);
  expect(await kept).toMatchObject({ rc: 10, body: { error_code: "STORE_FAILED", reason: "gone" } });
  expect(timesReclaimed()).toBe(0);
});
