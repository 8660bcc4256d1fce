// SPDX-License-Identifier: MIT OR Apache-2.0
// A log of a test's own, in a file that goes with it.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, openLog } from "../log/open.ts";

export interface TemporaryLog extends Disposable {
  readonly log: Log;
}

export function temporaryLog(options: { readonly pageCountMax?: number } = {}): TemporaryLog {
  const directory = mkdtempSync(join(tmpdir(), "agentd-log-"));
  const log = openLog({
    file: join(directory, "log.db"),
    clock: { now: () => Date.now() },
    random: randomBytes,
    ...options,
  });
  return {
    log,
    [Symbol.dispose]() {
      log.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
