// SPDX-License-Identifier: MIT OR Apache-2.0

export type AcpClientErrorCode =
  /** The requested protocol version is not supported. */
  | "PROTOCOL_UNKNOWN"
  /** A permission was answered with an option that the agent did not offer. */
  | "OPTION_NOT_OFFERED"
  /** initialize was called a second time. */
  | "INITIALIZED_TWICE";

/** A mistake of the caller. Mistakes of an agent are an AgentFailure or a fault event, never an exception. */
export class AcpClientError extends Error {
  readonly code: AcpClientErrorCode;

  constructor(code: AcpClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AcpClientError";
    this.code = code;
  }
}
