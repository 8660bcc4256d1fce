// SPDX-License-Identifier: MIT OR Apache-2.0

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory of this test's own, mode 0700, gone when it is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "bus-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
