// SPDX-License-Identifier: MIT OR Apache-2.0
import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file that only the user can read, and replaces the one that is there: another process finds the old text or
 * the new one. Does not sync, so a crash of the machine may lose it. Throws the file system's error.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.new-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
