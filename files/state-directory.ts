// SPDX-License-Identifier: MIT OR Apache-2.0
import { isAbsolute, join, normalize } from "node:path";

/**
 * The directory for a program's state: `<PROGRAM>_STATE_DIR`, else `$XDG_STATE_HOME/<program>` (`~/.local/state`). An
 * empty variable counts as unset. Undefined if the path is not absolute, because the program's variable is relative or
 * there is no home directory: the programs change their working directory.
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

/** An XDG base directory: the specification ignores a variable that is unset, empty or relative. */
export function xdgDirectory(variable: string | undefined, fallback: string): string {
  return variable !== undefined && isAbsolute(variable) ? variable : fallback;
}
