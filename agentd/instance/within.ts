// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares absolute real paths as text, without access to the file system.

export function isWithin(path: string, directory: string): boolean {
  return path === directory || isBelow(path, directory);
}

/** Compares whole components: /ws/app-evil is not below /ws/app. */
export function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
