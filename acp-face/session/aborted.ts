// SPDX-License-Identifier: MIT OR Apache-2.0

/** Resolves when the signal is aborted, or at once if it is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
