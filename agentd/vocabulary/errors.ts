// SPDX-License-Identifier: MIT OR Apache-2.0
// The error codes of the service `agent`, each with its meaning and the members that its body may have.

const errorCodes = {
  ARGUMENT: "an argument is wrong or missing; `field` names it",
  UNKNOWN_COMMAND: "no such verb; `available` lists them",
  BUSY: "too many requests at once; try again",
  AGENT_UNKNOWN: "the catalogue has no such agent",
  AGENT_UNAVAILABLE: "the agent is not installed or not executable; `install` says how to get it",
  AGENT_AUTH: "the agent needs a login; `agent`, `methods`",
  AGENT_PROTOCOL: "the agent violated ACP",
  AGENT_EXITED: "the agent's process ended; `exit`, `stderr_tail`",
  AGENT_ERROR: "the agent answered with an error; `rpc`",
  AGENT_BUSY: "a turn is running, or the queue is full; `turn`, `queued`",
  AGENT_SELF:
    "an agent may not do this: on its own or another session, on the log or agentd, or with more than it was given",
  AGENT_DEPTH: "a child session's agent may not start or resume sessions",
  AGENT_LIMIT: "the limit of live sessions, or of those that agents started, is reached; `max_sessions`, `of_agents`",
  AGENT_INTERRUPTED: "agentd ended before it replied: the command may have run, and will not run again",
  SESSION_UNKNOWN: "no session has that id, name or unique prefix",
  SESSION_STATE: "the session's state does not allow this; `state`",
  SESSION_NOT_RESUMABLE: "the agent offers no way to resume the session",
  ROOT_REFUSED: "a directory is outside the instance's roots; `path`, `roots`",
  COMMAND_CONFLICT: "the command id was used before with other arguments",
  REQUEST_UNKNOWN: "no such request",
  REQUEST_CLOSED: "the request is already resolved; the body says by whom and how",
  OPTION_UNKNOWN: "no such option, or no such value",
  CURSOR_UNKNOWN: "the cursor belongs to another log or another session",
  UNSUPPORTED: "the agent, or this agentd, does not support this",
  AGENTD_OUTDATED: "agentd's own files were moved or replaced since it started; restart it",
  STORE_FAILED: "the log cannot be written; nothing was run",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The body of an error reply on the Bus, which has rc 10. The message says what to do. */
export interface ErrorBody {
  readonly error_code: ErrorCode;
  readonly message: string;
  readonly [member: string]: unknown;
}

export function errorBody(
  code: ErrorCode,
  message: string,
  members: Readonly<Record<string, unknown>> = {},
): ErrorBody {
  return { error_code: code, message, ...members };
}
