// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds, prepares and locks notifyd's state directory, which only its user can read and write.
import { join } from "node:path";
import { takeFileLock } from "../files/file-lock.ts";
import { preparePrivateDirectory } from "../files/make-directories.ts";
import { stateDirectoryOf } from "../files/state-directory.ts";
import { NotifydError } from "./notifyd-error.ts";

export interface StatePaths {
  readonly directory: string;
  readonly asksFile: string;
  readonly lockFile: string;
}

/** Throws STATE_REFUSED if NOTIFYD_STATE_DIR is relative or there is no home directory. */
export function statePaths(environment: Readonly<Record<string, string | undefined>>, home: string): StatePaths {
  const directory = stateDirectoryOf("notifyd", environment, home);
  if (directory === undefined) {
    const isOwn = Boolean(environment["NOTIFYD_STATE_DIR"]);
    const reason = isOwn ? "NOTIFYD_STATE_DIR must be an absolute path" : "there is no home directory: set HOME";
    throw new NotifydError("STATE_REFUSED", reason);
  }
  return { directory, asksFile: join(directory, "asks.db"), lockFile: join(directory, "notifyd.lock") };
}

/** Creates the directory with mode 0700. Throws STATE_REFUSED if others can write to it: they could forge answers. */
export function prepareStateDirectory({ directory }: StatePaths, uid: number): void {
  const reason = preparePrivateDirectory(directory, uid, "notifyd");
  if (reason !== undefined) throw new NotifydError("STATE_REFUSED", `${directory}: ${reason}`);
}

/** Allows one notifyd for each state directory. Throws ALREADY_RUNNING if another one runs. Disposing releases the lock. */
export function acquireLock(file: string, waitMs: number): Disposable {
  try {
    const held = takeFileLock(file, waitMs);
    if (held !== undefined) return { [Symbol.dispose]: () => held.close() };
  } catch (cause) {
    throw new NotifydError("STATE_REFUSED", `cannot lock ${file}: ${(cause as Error).message}`, { cause });
  }
  throw new NotifydError("ALREADY_RUNNING", "another notifyd of this user is running");
}
