// SPDX-License-Identifier: MIT OR Apache-2.0
// What an editor is answered when agentd refuses a request.
import { RPC } from "../acp-client/jsonrpc/message.ts";
import { AgentError } from "../agent-client/agent-error.ts";
import { RequestError } from "./agent-side/request-error.ts";

/** ACP's codes beyond those of JSON-RPC. */
export const authRequired = -32_000;
const resourceNotFound = -32_002;

export const loginMethod = "agentd-login";

export const isRefusal = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof AgentError && codes.includes(error.code);

/** What diagnostics say of an error, without anything that an agent or a person wrote. */
export function codeOf(error: unknown): string {
  if (error instanceof AgentError) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

export function unknownSession(): RequestError {
  return new RequestError(RPC.invalidParams, "unknown session");
}

/** The answer to session/load and session/resume. */
export function sessionNotFound(id: string): RequestError {
  return new RequestError(resourceNotFound, `Session not found: ${id}`, { id, sessionId: id });
}

export function turnIsRunning(): RequestError {
  return new RequestError(RPC.invalidParams, "a turn is already running");
}

export function authenticationRequired(message: string): RequestError {
  return new RequestError(authRequired, message, { authMethods: [loginMethod] });
}

/** Runs what a request asks for. Where agentd refuses it, the request is answered with an error of ACP. */
export async function withFaceErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toFaceError(error);
  }
}

/** Anything but an `AgentError` is returned unchanged. */
function toFaceError(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const { code, message, details } = error;
  if (code === "UNREACHABLE" || code === "TIME_LIMIT")
    return new RequestError(RPC.internalError, "gateway unreachable", { kind: "gateway_unreachable" });
  if (code === "AGENT_AUTH") return authenticationRequired(message);
  if (code === "AGENT_BUSY") return turnIsRunning();
  if (code === "SESSION_UNKNOWN") return unknownSession();
  const kind = code.toLowerCase();
  if (code === "AGENT_UNKNOWN") return new RequestError(RPC.invalidParams, message, { kind, agent: details["agent"] });
  if (ofTheRequest.has(code)) return new RequestError(RPC.invalidParams, message, { kind, field: details["field"] });
  return new RequestError(RPC.internalError, withInstall(message, details["install"]), { kind });
}

/** `install` is the command by which a missing agent is installed. */
function withInstall(message: string, install: unknown): string {
  return typeof install === "string" && !message.includes(install) ? `${message}; to install it: ${install}` : message;
}

/** Refusals that another request would not get. */
const ofTheRequest: ReadonlySet<string> = new Set([
  "ARGUMENT",
  "ROOT_REFUSED",
  "UNSUPPORTED",
  "OPTION_UNKNOWN",
  "CURSOR_UNKNOWN",
  "UNSERIALISABLE",
]);
