// SPDX-License-Identifier: MIT OR Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endProcessesWith } from "./end-processes.ts";

const mark = "END_PROCESSES_TEST";
const idle = "setInterval(() => {}, 2 ** 30); console.log('up');";

test("marked processes end, those that ignore SIGTERM are killed, and others stay alive", async () => {
  const value = randomUUID();
  const willing = await started(idle, value);
  const deaf = await started(`process.on("SIGTERM", () => {}); ${idle}`, value);
  const other = await started(idle, `${value}-other`);
  const ends = [willing, deaf].map((child) => once(child, "exit"));
  // Wait for the willing one however slow the machine is, so that it is not killed.
  await endProcessesWith(mark, value, () => willing.exitCode !== null || willing.signalCode !== null);
  expect((await Promise.all(ends)).map(([, signal]: unknown[]) => signal)).toEqual(["SIGTERM", "SIGKILL"]);
  expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  await endProcessesWith(mark, `${value}-other`);
});

test("a process that an ending process starts meanwhile ends too", async () => {
  const value = randomUUID();
  const heir = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 2 ** 30)"], { detached: true, stdio: "ignore" })`;
  const parent = await started(
    `process.once("SIGTERM", () => { ${heir}.once("spawn", () => process.exit(0)); }); ${idle}`,
    value,
  );
  const exited = once(parent, "exit");
  const never = (): boolean => false;
  await endProcessesWith(mark, value, never);
  expect(await exited).toEqual([0, null]);
  // A second call finds nothing and returns at once.
  await endProcessesWith(mark, value, never);
});

async function started(script: string, value: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", script], {
    env: { [mark]: value },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  return child;
}
