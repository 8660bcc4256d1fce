// SPDX-License-Identifier: MIT OR Apache-2.0
// The error that ends a verb: a refusal as a service sent it, or one of mix's own.

/** Codes of mix itself. Every other code came over the Bus. */
const ownCodes = {
  USAGE: "the command line is wrong",
  UNREACHABLE: "no Bus, or no agentd on it",
  SERVICE_UNKNOWN: "no service of that name on the Bus",
  TIME_LIMIT: "a time limit was exceeded",
  UNANSWERED: "a question went unanswered because nobody could be asked",
  TURN_ENDED: "a followed turn did not end by itself",
  SESSION_ENDED: "a followed session has ended",
  CALL_FAILED: "a service answered with a failure that has no code",
} as const;

export type OwnCode = keyof typeof ownCodes;

/** `code` is an `OwnCode` or the `error_code` of a refusal. `details` is the whole body of the refusal. */
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
