// SPDX-License-Identifier: MIT OR Apache-2.0
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { alpha, everything, fill, otherConnection, temporaryDirectory, temporaryLog } from "./testing/temporary-log.ts";

const appender = fileURLToPath(new URL("testing/append-until-killed.ts", import.meta.url));

test("batches that were acknowledged before a kill -9 are in the log, and it can be appended to", async () => {
  const file = path.join(temporaryDirectory(), "log.db");
  const child = spawn(process.execPath, ["--import", "tsx", appender, file, alpha], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  let acknowledged = 0;
  let flushes = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    flushes += 1;
    if (flushes === 200) child.kill("SIGKILL");
  }
  expect(await ended).toEqual([null, "SIGKILL"]);

  const log = temporaryLog({ file });
  const seqs = everything(log, alpha).map((entry) => entry["seq"]);
  expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
  expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
  expect(log.sessions.row(alpha)?.last_seq).toBe(seqs.length);
  const other = otherConnection(file);
  expect(other.prepare("SELECT max(last) & 1073741823 FROM seal").pluck().get()).toBe(seqs.length);
  expect(other.pragma("integrity_check", { simple: true })).toBe("ok");
  fill(log, alpha, 1);
});
