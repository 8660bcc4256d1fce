// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * Loads what is otherwise loaded when it is first needed. For a program that runs for long: by the time its Bus has moved
 * to TCP, an upgrade may have taken its files away.
 */
export async function loadTransports(): Promise<void> {
  await Promise.all([import("./tcp-transport.ts"), import("./tcp-listeners.ts")]);
}
