// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { alpha, bravo, fill, temporaryLog } from "./testing/temporary-log.ts";

const child = { session: alpha, pid: 4711, start_time: "123456", boot_id: "boot-1", marker: "log/alpha" };

test("a recorded process is found after a restart until it is removed by its full identity", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  fill(log, bravo, 1);
  log.processes.add(child);
  log.processes.add(child);
  log.processes.add({ ...child, session: bravo, start_time: "99" });
  log.close();
  const again = temporaryLog({ file: log.file });
  expect(again.processes.all()).toEqual([child, { ...child, session: bravo, start_time: "99" }]);
  again.processes.remove({ ...child, boot_id: "boot-2" });
  expect(again.processes.all()).toHaveLength(2);
  again.processes.remove(child);
  expect(again.processes.all()).toEqual([{ ...child, session: bravo, start_time: "99" }]);
});

test("a process of a session that is not in the log is a plain error", () => {
  const log = temporaryLog();
  expect(() => log.processes.add(child)).toThrow("NOT NULL");
  expect(log.processes.all()).toEqual([]);
});
