// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a path lies by its text alone. Both are absolute and without links: nothing is looked at.

export function isWithin(path: string, directory: string): boolean {
  return path === directory || isBelow(path, directory);
}

/** By whole names: /ws/app-evil is not below /ws/app. */
export function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
