// SPDX-License-Identifier: MIT OR Apache-2.0
// Every way in which the service `agent` says no: one table of codes, each with what it means.

const errorCodes = {
  ARGUMENT: "an argument is wrong or missing; `field` names it",
  UNKNOWN_COMMAND: "no such verb; `available` lists them",
  BUSY: "too much at once, try again",
  AGENT_UNKNOWN: "not in the catalogue",
  AGENT_UNAVAILABLE: "not installed or not executable; `install` says how",
  AGENT_AUTH: "login needed; `methods`",
  AGENT_PROTOCOL: "the agent does not speak ACP as it must",
  AGENT_EXITED: "the agent ended; `exit`, `stderr_tail`",
  AGENT_ERROR: "the agent answered with an error of its own; `rpc`",
  AGENT_BUSY: "a turn runs, or the queue is full; `turn`, `queued`",
  AGENT_SELF:
    "not for an agent: on its own session, on others' sessions, on the log or agentd, or more than it has itself",
  AGENT_DEPTH: "a child session's agent may not start or resume sessions",
  AGENT_LIMIT: "as many live sessions as the instance allows, all or agents'; `max_sessions`, `of_agents`",
  AGENT_INTERRUPTED: "agentd ended before it answered: it may have run, and will not run again",
  SESSION_UNKNOWN: "no session of that id, name or unique prefix",
  SESSION_STATE: "the session's state does not allow it; `state`",
  SESSION_NOT_RESUMABLE: "the agent offers no way back to the session",
  ROOT_REFUSED: "a directory is outside the instance's roots; `path`, `roots`",
  COMMAND_CONFLICT: "the same command id with other arguments",
  REQUEST_UNKNOWN: "no such request",
  REQUEST_CLOSED: "the request was answered or ended before; says by whom and how",
  OPTION_UNKNOWN: "no such option, or no such value",
  CURSOR_UNKNOWN: "the cursor is of another log or another session",
  UNSUPPORTED: "the agent, or this agentd, does not offer it",
  AGENTD_OUTDATED: "agentd's own files were moved or replaced since it was started: start it again",
  STORE_FAILED: "the log cannot be written: nothing was run",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** A refusal as it goes over the Bus: rc 10 and this body. The message says what to do. */
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
