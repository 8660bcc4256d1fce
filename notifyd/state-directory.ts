// SPDX-License-Identifier: MIT OR Apache-2.0
// Where notifyd keeps its asks: a directory of the user's own, which nobody else reads or writes.
import { chmodSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { makeDirectories } from "../files/make-directories.ts";
import { replaceableBecause } from "../files/replaceable.ts";
import { NotifydError } from "./notifyd-error.ts";

export interface StatePaths {
  readonly directory: string;
  readonly asksFile: string;
  readonly lockFile: string;
}

/** `NOTIFYD_STATE_DIR`, else `$XDG_STATE_HOME/notifyd` (`~/.local/state`). Throws STATE_REFUSED for a relative one. */
export function statePaths(environment: Readonly<Record<string, string | undefined>>, home: string): StatePaths {
  const own = environment["NOTIFYD_STATE_DIR"];
  if (own && !isAbsolute(own)) throw new NotifydError("STATE_REFUSED", "NOTIFYD_STATE_DIR must be an absolute path");
  if (!own && !isAbsolute(home)) throw new NotifydError("STATE_REFUSED", "there is no home directory: set HOME");
  const state = environment["XDG_STATE_HOME"];
  const base = state && isAbsolute(state) ? state : join(home, ".local", "state");
  const directory = normalize(own || join(base, "notifyd"));
  return { directory, asksFile: join(directory, "asks.db"), lockFile: join(directory, "notifyd.lock") };
}

/** Makes what is missing, mode 0700. Throws STATE_REFUSED for what others can write: they could answer for people. */
export function prepareStateDirectory({ directory }: StatePaths, uid: number): void {
  const refuse = (reason: string, cause?: unknown): NotifydError =>
    new NotifydError("STATE_REFUSED", `${directory}: ${reason}`, { cause });
  let found: { readonly uid: number; readonly mode: number };
  try {
    makeDirectories(directory);
    found = statSync(directory);
  } catch (cause) {
    throw refuse(`cannot be used (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, cause);
  }
  const replaceable = replaceableBecause(dirname(directory), { uid });
  if (replaceable !== undefined) throw refuse(`is not safe where it is: ${replaceable}`);
  if (found.uid !== uid) throw refuse(`belongs to user ${found.uid}, not to user ${uid} who runs notifyd`);
  if ((found.mode & 0o022) !== 0) throw refuse("others can write it; close it with: chmod go-w");
  if ((found.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}
