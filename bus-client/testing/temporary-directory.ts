// SPDX-License-Identifier: MIT OR Apache-2.0

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a directory of mode 0700 that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "bus-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
