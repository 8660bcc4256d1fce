// SPDX-License-Identifier: MIT OR Apache-2.0
import { isAbsolute, join, normalize } from "node:path";

/**
 * Where a program keeps what it writes: `<PROGRAM>_STATE_DIR`, else `$XDG_STATE_HOME/<program>` (`~/.local/state`). An
 * empty variable counts as unset. Undefined where that is no absolute path, since programs do not stay where they were
 * started: the program's own variable is relative, or there is no home directory.
 */
export function stateDirectoryOf(
  program: "agentd" | "notifyd",
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string | undefined {
  const own = environment[`${program.toUpperCase()}_STATE_DIR`];
  const directory = own || join(xdgDirectory(environment["XDG_STATE_HOME"], join(home, ".local", "state")), program);
  return isAbsolute(directory) ? normalize(directory) : undefined;
}

/** A base directory of the XDG rules, by which a variable that is unset, empty or relative is ignored. */
export function xdgDirectory(variable: string | undefined, fallback: string): string {
  return variable !== undefined && isAbsolute(variable) ? variable : fallback;
}
