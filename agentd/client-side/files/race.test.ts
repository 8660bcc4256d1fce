// SPDX-License-Identifier: MIT OR Apache-2.0
// Another process swaps files and directories for links to the outside while we read and write. Checking the real path
// and then opening the requested one reads from outside in all three cases, about 1 in 100 times.
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readTextFile } from "./read-text-file.ts";
import { makeGround, temporaryName } from "./testing/ground.ts";
import { writeTextFile } from "./write-text-file.ts";
import { nothingReserved } from "../../testing/nothing-reserved.ts";

/** Rounds of each kind; AGENTD_TEST_RACES=10000 runs more. */
const rounds = Number(process.env["AGENTD_TEST_RACES"] ?? 4_000);
/** Fewer, since a write waits for the disk. */
const roundsAWrite = 5;

// Other systems than Linux lose this race, as documented.
test.runIf(process.platform === "linux").each([
  ["a file and a link", "file", "f"],
  ["a directory and a link", "directory", "d/f"],
  ["links to directories", "link", "d/f"],
])(
  "while %s out are swapped by another process, no read and no write reaches what is outside",
  async (_, kind, name) => {
    using ground = makeGround();
    writeFileSync(ground.out("f"), "outside");
    await using _swapper = await startSwapper(kind, ground.app, ground.out());
    const directories = [ground.app];
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let round = 0; round < rounds; round++) {
      const got = readTextFile(ground.in(name), { directories, reserved: nothingReserved, bytesMax: 1_000 });
      count(got.ok ? `read ${got.text}` : `not read: ${got.refusal.reason}`);
      if (round % roundsAWrite > 0) continue;
      const put = writeTextFile(ground.in(name), "inside", {
        directories,
        reserved: nothingReserved,
        bytesMax: 1_000,
        temporaryName,
      });
      count(put.ok ? "written" : `not written: ${put.refusal.reason}`);
    }
    expect(seen.has("read outside")).toBe(false);
    expect(readdirSync(ground.out()).toSorted()).toEqual(["f", "secret"]);
    expect(readFileSync(ground.out("f"), "utf8")).toBe("outside");
    // Both must have occurred for the test to mean anything.
    for (const outcome of ["read inside", "written", "not read: outside"]) {
      expect([outcome, (seen.get(outcome) ?? 0) > 0]).toEqual([outcome, true]);
    }
  },
);

async function startSwapper(kind: string, inside: string, outside: string): Promise<AsyncDisposable> {
  const program = fileURLToPath(new URL("testing/swapper.mjs", import.meta.url));
  const swapper = spawn(process.execPath, [program, kind, inside, outside], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(swapper, "exit");
  await once(swapper.stdout, "data");
  return {
    async [Symbol.asyncDispose]() {
      // The swapper ends only by this kill; had it ended before, there was no race.
      expect(swapper.kill("SIGKILL")).toBe(true);
      await exited;
    },
  };
}
