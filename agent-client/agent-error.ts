// SPDX-License-Identifier: MIT OR Apache-2.0

/** Codes of this client. Every other code came over the Bus. */
const clientCodes = {
  UNREACHABLE: "no Bus, or no agentd on it",
  SERVICE_UNKNOWN: "no service of that name on the Bus",
  TIME_LIMIT: "a service did not answer in time",
  CALL_FAILED: "a service answered with a failure that has no code",
  UNSERIALISABLE: "the arguments cannot be sent",
} as const;

export type ClientCode = keyof typeof clientCodes;

export interface ErrorContext {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A refusal, or a failure of the Bus. `code` is a `ClientCode` or the `error_code` of a refusal. */
export class AgentError extends Error {
  override readonly name: string = "AgentError";
  readonly code: string;
  /** The whole body of a refusal. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, { details = {}, cause }: ErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

export function clientError(code: ClientCode, message: string, cause?: unknown): AgentError {
  return new AgentError(code, message, { cause });
}
