// SPDX-License-Identifier: MIT OR Apache-2.0
// Child processes and orphans, as real agents leave them.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import type { SpawnStep } from "./scenario.ts";

/** Long enough for a test, and short if a process is left over on the machine. */
const sleepSeconds = "600";

/** Set in the environment of a program that has re-executed itself. */
const secondLife = "SCRIPTED_AGENT_SECOND_LIFE";

export function spawnOffspring(step: SpawnStep): void {
  for (let born = 0; born < (step.count ?? 1); born += 1) {
    const pid = spawnOne(step);
    if (step.pidFile !== undefined) appendFileSync(step.pidFile, `${pid}\n`);
  }
}

/** Returns false in the re-executed process, whose scenario continues. */
export function reexecute(): boolean {
  if (process.env[secondLife] !== undefined) return false;
  spawn(process.execPath, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, [secondLife]: "1" },
  }).unref();
  return true;
}

function spawnOne(step: SpawnStep): number {
  const stdout = step.holdStdout === true ? "inherit" : "ignore";
  switch (step.spawn) {
    case "group":
    case "session": {
      const detached = step.spawn === "session";
      const child = spawn("sleep", [sleepSeconds], { detached, stdio: ["ignore", stdout, "ignore"] });
      child.unref();
      return child.pid ?? 0;
    }
    case "orphan":
      return spawnOrphan(`sleep ${sleepSeconds}`, step.holdStdout === true);
    case "orphan_session":
      return spawnOrphan(`setsid sleep ${sleepSeconds}`, step.holdStdout === true);
    case "clean_orphan_session":
      return spawnOrphan(`env -i PATH="$PATH" setsid sleep ${sleepSeconds}`, step.holdStdout === true);
  }
}

/** Starts it in the background of a shell that exits, so that none of our processes is its parent. */
function spawnOrphan(command: string, holdStdout: boolean): number {
  // Descriptor 3 is our stdout; the shell prints the pid on its own stdout.
  const background = `${command} </dev/null ${holdStdout ? ">&3" : ">/dev/null"} 2>/dev/null 3>&- & echo $!`;
  const { stdout } = spawnSync("sh", ["-c", background], { stdio: ["ignore", "pipe", "ignore", 1], encoding: "utf8" });
  return Number(stdout);
}
