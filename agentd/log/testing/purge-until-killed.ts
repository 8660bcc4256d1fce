// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs as a process of its own that purges session argv[3] of the log at argv[2]. After each step it prints a line and
// waits for one on stdin, so that it can be killed between any two steps.
import { randomBytes } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { openLog } from "../open.ts";

const [, , file = "", session = ""] = process.argv;
const log = openLog({ file, clock: Date, random: randomBytes });
const line = Buffer.alloc(1);
for (const _ of log.maintenance.purge(session)) {
  writeSync(1, "step\n");
  readSync(0, line);
}
log.close();
writeSync(1, "purged\n");
