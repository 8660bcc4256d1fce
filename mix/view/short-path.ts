// SPDX-License-Identifier: MIT OR Apache-2.0

/** Makes a path below the session's directory relative to it; other paths stay as they are. */
export function shortenPath(path: string, directory: string | undefined): string {
  return directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
