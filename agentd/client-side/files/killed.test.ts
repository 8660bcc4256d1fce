// SPDX-License-Identifier: MIT OR Apache-2.0
// Kills a process at random moments of a write.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, watch, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sweepTemporary } from "./write-text-file.ts";
import { type Ground, makeGround, temporaryName } from "./testing/ground.ts";
import { nothingReserved } from "../../testing/nothing-reserved.ts";

const bytes = 4 * 1024 * 1024;

test(
  "a file whose writer is killed has the old text or the new one, whole, and what is left beside it is swept",
  { tags: "slow" },
  async () => {
    using ground = makeGround();
    const path = ground.in("f");
    let left = 0;
    for (let kill = 0; kill < 6; kill++) {
      writeFileSync(path, "a".repeat(bytes));
      await killAtItsWrites(ground, path, kill);
      const text = readFileSync(path, "utf8");
      expect([text.length, /^(?:a+|b+)$/.test(text)]).toEqual([bytes, true]);
      if (sweepTemporary(path, { directories: [ground.app], reserved: nothingReserved, temporaryName })) left++;
      expect(readdirSync(ground.app)).toEqual(["f"]);
    }
    // Most kills hit the write itself, which takes most of the time.
    expect(left).toBeGreaterThan(0);
  },
);

/** Kills at the given change seen in the directory: a file created, written to or renamed. */
async function killAtItsWrites(ground: Ground, path: string, changes: number): Promise<void> {
  const program = fileURLToPath(new URL("testing/writer.ts", import.meta.url));
  const watcher = watch(ground.app);
  let seen = 0;
  const writer = spawn(process.execPath, ["--import", "tsx", program, path, ground.app, temporaryName, String(bytes)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  watcher.on("change", () => {
    if (seen++ >= changes) writer.kill("SIGKILL");
  });
  try {
    expect(await once(writer, "exit")).toEqual([null, "SIGKILL"]);
  } finally {
    writer.kill("SIGKILL");
    watcher.close();
  }
}
