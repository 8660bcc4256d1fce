// SPDX-License-Identifier: MIT OR Apache-2.0
// Removes the temporary file of a write that was killed before its rename.
import { lstatSync, unlinkSync } from "node:fs";
import type { Boundary } from "./boundary.ts";
import { pinPath } from "./pin-path.ts";
import { pinNearestDirectory, requirePath } from "./pin-inside.ts";
import { fileNameOf } from "./pin-parent.ts";
import { catchRefusal } from "./refusal.ts";

export interface SweepOptions extends Boundary {
  /** The name that the write used. */
  readonly temporaryName: string;
}

/** Returns whether the temporary file of a write to `path` was removed. Touches nothing outside. */
export function sweepTemporary(path: string, { temporaryName, ...boundary }: SweepOptions): boolean {
  const swept = catchRefusal(path, () => {
    requirePath(path);
    fileNameOf(path);
    using nearest = pinNearestDirectory(path.slice(0, path.lastIndexOf("/") + 1), { pin: pinPath, ...boundary });
    if (nearest.missing.length > 0) return false;
    const temporary = nearest.directory.pathTo(temporaryName);
    if (!lstatSync(temporary, { throwIfNoEntry: false })?.isFile()) return false;
    unlinkSync(temporary);
    return true;
  });
  return swept === true;
}
