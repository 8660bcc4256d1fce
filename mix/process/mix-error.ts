// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything that ends a verb before its time: the refusals of services as they came, and the few of our own.

/** Codes that the command line itself gives; every other code came over the Bus. */
const ownCodes = {
  USAGE: "the command line is not understood",
  UNREACHABLE: "no Bus, or no agentd on it",
  SERVICE_UNKNOWN: "no service of that name on the Bus",
  TIME_LIMIT: "it took longer than it may",
  UNANSWERED: "a question went unanswered because nobody could be asked",
  TURN_ENDED: "a turn that was followed ended otherwise than by itself",
  SESSION_ENDED: "a session that was followed is over",
  CALL_FAILED: "a service answered with a failure that has no code",
} as const;

export type OwnCode = keyof typeof ownCodes;

/** `code` is one of ours, or the `error_code` of a refusal; `details` is the refusal's whole body. */
export class MixError extends Error {
  override readonly name = "MixError";
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    rest: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, rest.cause === undefined ? undefined : { cause: rest.cause });
    this.code = code;
    this.details = rest.details ?? {};
  }
}

export function ownError(code: OwnCode, message: string, cause?: unknown): MixError {
  return new MixError(code, message, { cause });
}

export function usageError(message: string): MixError {
  return new MixError("USAGE", message);
}
