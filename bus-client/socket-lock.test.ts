// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBroker, listenReplacingStale } from "./broker/index.ts";
import { probeSocket } from "./embedded-socket.ts";
import { withSocketLock } from "./socket-lock.ts";
import { staleSocket } from "./testing/stale-socket.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

test("concurrent holders act one at a time, and no file is left beside the socket", async () => {
  const directory = temporaryDirectory();
  let inside = 0;
  const acts = Array.from({ length: 8 }, (_, index) =>
    withSocketLock(join(directory, "bus.sock"), async () => {
      inside += 1;
      await new Promise(setImmediate);
      expect(inside).toBe(1);
      inside -= 1;
      return index;
    }),
  );
  expect(await Promise.all(acts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(readdirSync(directory)).toEqual([]);
});

test("a lock whose holder was killed is broken, even if its pid was reused", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "bus.sock");
  const child = spawn("sleep", ["600"]);
  await once(child, "spawn");
  const { pid } = child;
  child.kill("SIGKILL");
  await once(child, "exit");
  const dead = [
    JSON.stringify({ pid, start: "1", nonce: 0 }),
    JSON.stringify({ pid: process.pid, start: "1", nonce: 0 }),
    "not a record",
  ];
  for (const record of dead) {
    writeFileSync(`${path}.lock`, record);
    expect(await withSocketLock(path, async () => "acted", { waitMs: 2_000 })).toBe("acted");
  }
  expect(readdirSync(directory)).toEqual([]);
});

test("a lock of a living process is waited for, then fails, and is left unchanged", async () => {
  const path = join(temporaryDirectory(), "bus.sock");
  let release = (): void => {};
  const held = withSocketLock(path, () => new Promise<void>((resolve) => (release = resolve)));
  const record = readFileSync(`${path}.lock`, "utf8");
  const second = withSocketLock(path, async () => "acted", { waitMs: 50 });
  await expect(second).rejects.toMatchObject({ code: "ADDRESS_IN_USE" });
  expect(readFileSync(`${path}.lock`, "utf8")).toBe(record);
  release();
  await held;
});

test("a failing act releases the lock", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "bus.sock");
  await expect(withSocketLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(readdirSync(directory)).toEqual([]);
});

test("of brokers that find a stale socket at once, exactly one listens, and clients reach it", async () => {
  const path = join(temporaryDirectory(), "mixos", "bus.sock");
  for (let round = 0; round < 5; round += 1) {
    await staleSocket(path);
    const brokers = Array.from({ length: 4 }, () => createBroker());
    const listens = await Promise.all(brokers.map((broker) => listenReplacingStale(broker, path)));
    expect(listens.filter((listening) => listening)).toHaveLength(1);
    expect(await probeSocket(path)).toBe("live");
    await Promise.all(brokers.map((broker) => broker.close()));
    expect(readdirSync(join(path, ".."))).toEqual([]);
  }
});
