// SPDX-License-Identifier: MIT OR Apache-2.0
// Errors that keep notifyd from starting, with exit codes for a service manager. agentd uses the same codes.

const exitCodes = {
  USAGE: 2,
  STATE_REFUSED: 2,
  STORE_REFUSED: 2,
  /** EX_TEMPFAIL of sysexits.h: another notifyd of this user holds the lock. */
  ALREADY_RUNNING: 75,
} as const;

export class NotifydError extends Error {
  override readonly name = "NotifydError";
  readonly code: keyof typeof exitCodes;

  constructor(code: keyof typeof exitCodes, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}
