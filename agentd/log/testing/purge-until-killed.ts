// SPDX-License-Identifier: MIT OR Apache-2.0
// A process of its own that purges the session argv[3] of the log at argv[2], and after each step says so on its
// stdout and waits for a line: so it can be killed between any two.
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
