// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { attempt } from "./attempt.ts";
import { syncFile } from "./create-atomically.ts";

/**
 * Replaces a file of a person's by its changed text, whole or not at all. It keeps its mode, and a link its target. Throws
 * the file system's error, and one for people if the file no longer has the text `before` (empty for a missing file).
 */
export function changeText(path: string, before: string, text: string): void {
  const file = attempt(() => realpathSync(path)) ?? path;
  const there = attempt(() => statSync(file));
  if (there === undefined && attempt(() => lstatSync(file)) !== undefined) {
    throw new Error("it is a link to a file that is not there");
  }
  if (there !== undefined) accessSync(file, constants.W_OK);
  const temporary = `${file}.new-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    // Not by the call before, whose mode the umask would narrow.
    if (there !== undefined) chmodSync(temporary, there.mode & 0o777);
    syncFile(temporary);
    const now = attempt(() => readFileSync(file, "utf8")) ?? "";
    if (now !== before) throw new Error("it was changed at the same time; try again");
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
