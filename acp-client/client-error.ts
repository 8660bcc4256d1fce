// SPDX-License-Identifier: MIT OR Apache-2.0

export type AcpClientErrorCode =
  /** The protocol asked for is none that is spoken here. */
  | "PROTOCOL_UNKNOWN"
  /** A permission was answered with an option that was not offered. */
  | "OPTION_NOT_OFFERED"
  /** initialize was called a second time. */
  | "INITIALIZED_TWICE";

/** A broken promise of the caller. What an agent does wrong is an AgentFailure or a fault, never an exception. */
export class AcpClientError extends Error {
  readonly code: AcpClientErrorCode;

  constructor(code: AcpClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AcpClientError";
    this.code = code;
  }
}
