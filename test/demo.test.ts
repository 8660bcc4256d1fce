// SPDX-License-Identifier: MIT OR Apache-2.0
// What is shown at first must not leave a daemon behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endProcessesWith, pidsWith } from "../mix/testing/end-processes.ts";

const demo = fileURLToPath(new URL("../scripts/demo.ts", import.meta.url));
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "demo-"));
  mkdirSync(join(home, "run"), { mode: 0o700 });
});
afterEach(async () => {
  await endProcessesWith("HOME", home);
  rmSync(home, { recursive: true, force: true });
});

function started() {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, XDG_RUNTIME_DIR: join(home, "run") };
  return spawn(process.execPath, ["--import", "tsx", demo], { env, stdio: ["ignore", "pipe", "ignore"] });
}

test("the demo shows a session and its log, and stops the agentd that it started", async () => {
  const child = started();
  const [shown, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(code).toBe(0);
  for (const words of ["$ mix agent start", "hello.txt", "$ mix agent log", "$ mix agent stop"])
    expect(shown).toContain(words);
  expect(pidsWith("HOME", home)).toEqual([]);
});

test("so it does when its reader leaves", { tags: "slow" }, async () => {
  const child = started();
  child.stdout.once("data", () => child.stdout.destroy());
  await once(child, "exit");
  expect(pidsWith("HOME", home)).toEqual([]);
});
