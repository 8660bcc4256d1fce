// SPDX-License-Identifier: MIT OR Apache-2.0
// Where notifyd keeps its asks: a directory of the user's own, which nobody else reads or writes.
import { isAbsolute, join, normalize } from "node:path";
import { preparePrivateDirectory } from "../files/private-directory.ts";
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
  const reason = preparePrivateDirectory(directory, uid, "notifyd");
  if (reason !== undefined) throw new NotifydError("STATE_REFUSED", `${directory}: ${reason}`);
}
