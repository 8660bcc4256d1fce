// SPDX-License-Identifier: MIT OR Apache-2.0

/** The error codes of this package and their meanings. A reply with a failing `rc` is a value, not an error. */
const meanings = {
  MISSING_OPENING_FENCE: "the text does not start with the three dashes and line feed that open a Bus message",
  NON_COMPLIANT: "the message has invalid headers, which only the lenient parser accepts",
  UNSERIALISABLE: "the message cannot be written so that a reader gets the same back",
  FRAME_TOO_LARGE: "a message is over the 8 MiB that one WebSocket frame may hold",
  URL_INVALID: "not a ws:// or ws+unix:// address",
  PATH_TOO_LONG: "the path of a Unix socket has more bytes than the kernel allows",
  DIAL_FAILED: "no connection to the broker",
  NOT_CONNECTED: "there is no connection to the broker; nothing was sent",
  CONNECTION_LOST: "the connection closed before the answer came; the command may have run",
  TIMEOUT: "no answer in time; the command may have run",
  OVERLOADED: "too many bytes are unsent or too many requests unanswered; nothing was sent",
  NAME_TAKEN: "another connection holds the name",
  REGISTRATION_REFUSED: "the broker refused the name for another reason",
  SUBSCRIPTION_REFUSED: "the broker refused a subscription",
  STOPPED: "the client was stopped",
  DIRECTORY_REFUSED: "the socket's directory belongs to another user, or is open to others",
  ADDRESS_IN_USE: "another process listens there, or left its socket file",
  LISTEN_FAILED: "the broker cannot listen there",
  USAGE: "the package was used in a way that it does not allow",
} as const;

export type BusErrorCode = keyof typeof meanings;

export class BusError extends Error {
  override readonly name = "BusError";
  readonly code: BusErrorCode;

  constructor(code: BusErrorCode, message?: string, options?: ErrorOptions) {
    super(message ?? meanings[code], options);
    this.code = code;
  }
}

/** Returns a BusError unchanged, and wraps any other thrown value as the `cause` of one with the given code. */
export function asBusError(thrown: unknown, code: BusErrorCode): BusError {
  if (thrown instanceof BusError) return thrown;
  return new BusError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
