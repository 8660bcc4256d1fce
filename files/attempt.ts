// SPDX-License-Identifier: MIT OR Apache-2.0

/** Returns undefined if `act` throws, as the file system does for everything that is not there or not allowed. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
