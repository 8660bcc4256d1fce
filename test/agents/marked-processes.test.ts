// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { killMarked, markedProcesses, remainingProcesses } from "./marked-processes.ts";

test("a process whose parent is dead and whose group is its own is found by its marker, and gone once killed", async () => {
  const marker = randomUUID();
  // The first starts a second in a session of its own and dies of it.
  const orphan = "setsid sleep 3611 </dev/null >/dev/null 2>&1 & echo started";
  const parent = spawn("/bin/sh", ["-c", orphan], { env: { PATH: "/usr/bin:/bin", MARK: marker } });
  await once(parent, "close");
  try {
    const commands = async () => (await markedProcesses(`MARK=${marker}`)).map(({ command }) => command);
    await expect.poll(commands, { timeout: 10_000 }).toEqual(["sleep 3611"]);
    expect(await remainingProcesses(`MARK=${marker}`, 0)).toHaveLength(1);
  } finally {
    killMarked(await markedProcesses(`MARK=${marker}`));
  }
  expect(await remainingProcesses(`MARK=${marker}`, 10_000)).toEqual([]);
});

test("a marker that is only the beginning of another's value finds nothing", async () => {
  const marker = randomUUID();
  const child = spawn(process.execPath, ["-e", "console.log('up'); process.stdin.resume()"], {
    env: { MARK: `${marker}-2` },
  });
  await once(child.stdout, "data");
  expect(await markedProcesses(`MARK=${marker}`)).toEqual([]);
  expect(await markedProcesses(`MARK=${marker}-2`)).toHaveLength(1);
  child.stdin.end();
  await once(child, "close");
});

test("killing what is gone already is no error", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  killMarked([{ pid: child.pid!, command: "" }]);
  expect(child.exitCode).toBe(0);
});
