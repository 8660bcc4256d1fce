// SPDX-License-Identifier: MIT OR Apache-2.0

/** Without the session's directory, where it lies below that. */
export function shortenPath(path: string, directory: string | undefined): string {
  return directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
