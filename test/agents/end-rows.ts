// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions that are closed, and agentd that is stopped: nothing is left, and the log tells everything.
import { expect } from "vitest";
import type { AgentSession } from "./agent-session.ts";
import type { ContractSetting } from "./contract-setting.ts";
import { logFaults, of } from "./log-faults.ts";
import type { Row } from "./rows.ts";

export function endRows(row: Row, setting: ContractSetting): void {
  const { takeIdleSession, runForAnHour } = setting;

  row("close", async () => await expectCleanClose(await takeIdleSession()));

  row("close-command", async () => {
    const session = await takeIdleSession();
    const turn = await runForAnHour(session, "run until the end");
    const seen = await expectCleanClose(session);
    expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled", sent: true });
    return seen;
  });

  row("close-late", async () => {
    const session = await takeIdleSession();
    const turn = await runForAnHour(session, "run for some seconds and an hour", "sleep 2; ");
    await session.cancel();
    expect(await turn.ended()).toMatchObject({ stop_reason: "cancelled" });
    return await expectCleanClose(session);
  });

  row("agentd-stopped", async () => {
    const session = await takeIdleSession();
    await runForAnHour(session, "run until agentd stops");
    const stopped = await setting.workshop.stopDaemon();
    const sessions = [session, ...setting.takeAllSessions()];
    const user = await setting.workshop.restartDaemon();
    expect(stopped).toEqual({ code: 0, left: [] });
    for (const { id } of sessions) {
      const log = await user.log(id);
      expect(logFaults(log)).toEqual([]);
      expect(of(log, "state").at(-1)).toMatchObject({ state: "closed", reason: "stop" });
    }
    const ends = of(await user.log(session.id), "turn").filter(({ phase }) => phase === "ended");
    expect(ends.at(-1)).toMatchObject({ stop_reason: "interrupted", sent: true });
  });
}

/** Closed, with nothing left running, and everything told in a log that misses nothing. Returns how long it took. */
async function expectCleanClose(session: AgentSession): Promise<string> {
  expect(await session.processes()).not.toEqual([]);
  const from = performance.now();
  const { log, life, published, left } = await session.close();
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  expect(left).toEqual([]);
  expect(logFaults(log)).toEqual([]);
  expect(published).toEqual(life);
  return `yes, ${seconds} s`;
}
