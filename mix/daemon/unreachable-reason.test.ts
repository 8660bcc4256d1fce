// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processState } from "./process-alive.ts";
import { unreachableReason, lastingUnreachableReason } from "./unreachable-reason.ts";

let state: string;
let started: ChildProcess | undefined;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "unheard-"));
});
afterEach(async () => {
  if (started?.kill("SIGKILL") === true) await once(started, "close");
  started = undefined;
  rmSync(state, { recursive: true, force: true });
});

/** Starts a process with the word on its command line, and records it as agentd. */
async function holder(word: string): Promise<number> {
  const program = `process.stdout.write("up"); setInterval(() => {}, 1000)`;
  started = spawn(process.execPath, ["-e", program, word], {
    env: { XDG_RUNTIME_DIR: "/theirs" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(started.stdout!, "data");
  writeFileSync(join(state, "agentd.pid"), JSON.stringify({ pid: started.pid }));
  return started.pid!;
}

const seenFrom = (env: Record<string, string>) => ({ env: { AGENTD_STATE_DIR: state, ...env }, home: "/" });

test("a process that a signal stopped is a lasting reason", async () => {
  const pid = await holder("agentd");
  process.kill(pid, "SIGSTOP");
  while (processState(pid) !== "T") await setImmediate();
  const here = seenFrom({ XDG_RUNTIME_DIR: "/theirs" });
  expect(lastingUnreachableReason(here)).toContain(`kill -CONT ${pid}`);
  expect(unreachableReason(here)).toContain(`kill -CONT ${pid}`);
});

test("a process with other Bus variables is on another Bus, one with the same may still be starting", async () => {
  const pid = await holder("agentd");
  expect(lastingUnreachableReason(seenFrom({ MIXOS_NODED_URL: "ws://h/ws" }))).toBe(
    `agentd (pid ${pid}) is running, but on another Bus: its MIXOS_NODED_URL is not set, here it is ws://h/ws; ` +
      "its XDG_RUNTIME_DIR is /theirs, here it is not set",
  );
  const alike = seenFrom({ XDG_RUNTIME_DIR: "/theirs" });
  expect(lastingUnreachableReason(alike)).toBeUndefined();
  expect(unreachableReason(alike)).toContain(`agentd (pid ${pid}) is running but does not answer`);
});

test("a record whose pid another program has by now, a broken record and a missing one count as no daemon", async () => {
  await holder("editor");
  expect(unreachableReason(seenFrom({}))).toBeUndefined();
  writeFileSync(join(state, "agentd.pid"), "{");
  expect(unreachableReason(seenFrom({}))).toBeUndefined();
  rmSync(join(state, "agentd.pid"));
  expect(unreachableReason(seenFrom({}))).toBeUndefined();
});
