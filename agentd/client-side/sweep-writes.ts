// SPDX-License-Identifier: MIT OR Apache-2.0
// Temporary files of writes that an agentd had intended when it died. The files themselves are whole.
import { temporaryNameOf } from "../session/files.ts";
import type { Reserved } from "../instance/reserved.ts";
import type { SessionState } from "../session/state.ts";
import { sweepTemporary } from "./files/sweep-temporary.ts";

/** Before the log says that those writes have ended: whoever dies here finds them again. */
export function sweepWrites({ id, cwd, additionalDirs, writes }: SessionState, reserved: Reserved): void {
  const directories = [cwd, ...additionalDirs];
  for (const { seq, path } of writes) {
    if (path !== "") sweepTemporary(path, { directories, reserved, temporaryName: temporaryNameOf(id, seq) });
  }
}
