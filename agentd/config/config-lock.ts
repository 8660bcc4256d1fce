// SPDX-License-Identifier: MIT OR Apache-2.0
// Lets one program at a time change the configuration file. A person's editor does not know of it.
import { join } from "node:path";
import { takeFileLock } from "../../files/file-lock.ts";
import { preparePrivateDirectory } from "../../files/make-directories.ts";

export type UnderConfigLock<T> =
  | { readonly ok: true; readonly value: T }
  /** `reason` is for people: another program holds the lock, or there can be none. */
  | { readonly ok: false; readonly reason: string };

export interface ConfigLock {
  /** Where the lock is: the file's own directory may be a repository of the user's. */
  readonly stateDirectory: string;
  readonly uid: number;
  /** How long to wait for another program, which blocks this one. Default: 10 s. */
  readonly waitMs?: number;
}

/** Everything by which the change is decided must be read within `change`. */
export function underConfigLock<T>(
  { stateDirectory, uid, waitMs = 10_000 }: ConfigLock,
  change: () => T,
): UnderConfigLock<T> {
  const problem = preparePrivateDirectory(stateDirectory, uid, "agentd");
  if (problem !== undefined) return { ok: false, reason: `${stateDirectory} ${problem}` };
  const file = join(stateDirectory, "config.lock");
  let lock: ReturnType<typeof takeFileLock>;
  try {
    lock = takeFileLock(file, waitMs);
  } catch (error) {
    return { ok: false, reason: `${file} cannot be locked: ${(error as Error).message}` };
  }
  if (lock === undefined) return { ok: false, reason: "another program is changing the configuration; try again" };
  try {
    return { ok: true, value: change() };
  } finally {
    lock.close();
  }
}
