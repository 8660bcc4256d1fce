// SPDX-License-Identifier: MIT OR Apache-2.0
// What keeps agentd from starting, and the exit code that tells a service manager whether to try again.

const daemonErrorCodes = {
  /** Refused by what a person must mend: trying again does not help. */
  STATE_REFUSED: 2,
  CONFIG_REFUSED: 2,
  PATHS_REFUSED: 2,
  STORE_REFUSED: 2,
  BUS_REFUSED: 2,
  USAGE: 2,
  /** What may pass by itself: a disk that is full or fails, a log that another process holds. */
  STATE_UNAVAILABLE: 1,
  /** EX_TEMPFAIL: another agentd of this user holds the lock. */
  ALREADY_RUNNING: 75,
} as const;

export class DaemonError extends Error {
  readonly code: keyof typeof daemonErrorCodes;

  constructor(code: keyof typeof daemonErrorCodes, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DaemonError";
    this.code = code;
  }

  get exitCode(): number {
    return daemonErrorCodes[this.code];
  }
}
