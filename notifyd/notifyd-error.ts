// SPDX-License-Identifier: MIT OR Apache-2.0
// Errors that keep notifyd from starting, with exit codes for a service manager. agentd uses the same codes.

export class NotifydError extends Error {
  override readonly name = "NotifydError";
  readonly code: "STATE_REFUSED" | "STORE_REFUSED" | "ALREADY_RUNNING";

  constructor(code: NotifydError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** 75 is EX_TEMPFAIL of sysexits.h: another notifyd of this user holds the lock. */
  get exitCode(): number {
    return this.code === "ALREADY_RUNNING" ? 75 : 2;
  }
}
