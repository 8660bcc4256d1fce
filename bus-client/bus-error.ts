// SPDX-License-Identifier: MIT OR Apache-2.0

/** Every way in which this package fails, and what the code means. A reply with a bad `rc` is not a failure: it is a value. */
const meanings = {
  MISSING_OPENING_FENCE: "the text does not start with the three dashes and line feed that open a Bus message",
  NON_COMPLIANT: "the lenient reader had something to report, and the strict one was asked for",
  UNSERIALISABLE: "a reader would not get back what was to be written",
  FRAME_TOO_LARGE: "a message is over the 8 MiB that one WebSocket frame may hold",
  URL_INVALID: "not a ws:// or ws+unix:// address",
  PATH_TOO_LONG: "a Unix socket's path has more bytes than the kernel takes",
  DIAL_FAILED: "no connection to the broker",
  NOT_CONNECTED: "asked for while there is no connection; nothing was sent",
  CONNECTION_LOST: "the connection went before the answer came; the command may have run",
  TIMEOUT: "no answer in time; the command may have run",
  OVERLOADED: "too much is waiting to be sent or answered; nothing was sent",
  NAME_TAKEN: "a live connection holds the name",
  REGISTRATION_REFUSED: "the broker refused the name for another reason",
  SUBSCRIPTION_REFUSED: "the broker refused a subscription",
  STOPPED: "the client was stopped",
  DIRECTORY_REFUSED: "the socket's directory is not the user's own, or open to others",
  ADDRESS_IN_USE: "something listens there already, or left its socket file",
  LISTEN_FAILED: "the broker cannot listen there",
  USAGE: "the caller broke this package's own rules",
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

/** Anything thrown as a BusError; what is one already stays as it is, the rest becomes its `cause`. */
export function asBusError(thrown: unknown, code: BusErrorCode): BusError {
  if (thrown instanceof BusError) return thrown;
  return new BusError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
