// SPDX-License-Identifier: MIT OR Apache-2.0
// Errors that prevent agentd from starting, with exit codes that tell a service manager whether to restart it.

const daemonErrorCodes = {
  /** A person must fix these: a restart does not help. */
  STATE_REFUSED: 2,
  CONFIG_REFUSED: 2,
  PATHS_REFUSED: 2,
  STORE_REFUSED: 2,
  BUS_REFUSED: 2,
  USAGE: 2,
  /** May pass by itself: a full or failing disk, a log that another process has locked. */
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
