// SPDX-License-Identifier: MIT OR Apache-2.0
// Builds failures: a message for people and a code for programs. Only codes decide the code, since agents word their
// messages as they like.
import { stringifyJson } from "../json/raw-json.ts";
import type { AgentFailure, AgentFailureCode, Outcome, AgentExit } from "./agent-events.ts";
import type { ClientLimits } from "./client-limits.ts";
import { isAuthError } from "./auth-error.ts";
import { RPC, type RpcError } from "./jsonrpc/message.ts";
import { truncateText } from "./jsonrpc/sample.ts";
import type { AuthMethod } from "./model.ts";

/** Length of each quotation in a message (command, stderr, login methods), in UTF-16 units. */
const quotedCharactersMax = 400;

export interface FailingAgent {
  /** The command, redacted. */
  readonly command: string;
  stderrTail(): string;
}

export function failed(code: AgentFailureCode, message: string): Outcome<never> {
  return { ok: false, failure: { code, message } };
}

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/**
 * Returns AGENT_PROTOCOL with the command and the end of stderr. `what` continues a sentence that begins with the
 * command.
 */
export function protocolFailure(agent: FailingAgent, what: string): AgentFailure {
  const stderrTail = agent.stderrTail();
  return { code: "AGENT_PROTOCOL", message: `${quoteCommand(agent)} ${what}${quoteStderr(stderrTail)}`, stderrTail };
}

export function exitFailure(agent: FailingAgent, exit: AgentExit): AgentFailure {
  const stderrTail = agent.stderrTail();
  if (exit.spawnError !== undefined) {
    const message = `${quoteCommand(agent)} could not be started: ${exit.spawnError.message}`;
    return { code: "AGENT_UNAVAILABLE", message, exit, stderrTail };
  }
  return {
    code: "AGENT_EXITED",
    message: `${quoteCommand(agent)} ${describeExit(exit)}${quoteStderr(stderrTail)}`,
    exit,
    stderrTail,
  };
}

/** Returns AGENT_PROTOCOL for a session that did not open. Some agents do not answer until somebody has logged in. */
export function openingFailure(agent: FailingAgent, what: string, authMethods: readonly AuthMethod[]): AgentFailure {
  if (authMethods.length === 0) return protocolFailure(agent, what);
  const hint = `. It may need a login first: it offers ${listMethodNames(authMethods)}`;
  return { ...protocolFailure(agent, what + hint), methods: authMethods };
}

export interface LoginAdvice {
  readonly agent: string;
  /** A sentence about what the agent was given in place of a login. */
  readonly refused?: string;
  /** Continues a sentence that begins with "To log in". */
  readonly advice?: string;
}

export interface LoginNeeds extends Partial<LoginAdvice> {
  readonly methods: readonly AuthMethod[];
}

export function rpcFailure(method: string, error: RpcError, login: LoginNeeds, limits: ClientLimits): AgentFailure {
  const rpc = truncateError(error, limits);
  const words = addReason(rpc.message, error.data);
  if (isAuthError(error)) return authFailure(words, rpc, login);
  if (error.code === RPC.methodNotFound) {
    return { code: "UNSUPPORTED", message: `The agent does not offer ${method}: ${words}`, rpc };
  }
  return { code: "AGENT_ERROR", message: `The agent refused ${method}: ${words} (${rpc.code})`, rpc };
}

function authFailure(words: string, rpc: RpcError, { methods, agent, refused, advice }: LoginNeeds): AgentFailure {
  const offered = methods.length === 0 ? "" : ` It offers: ${listMethodNames(methods)}.`;
  const what = refused === undefined ? "" : ` ${refused}`;
  const how = advice === undefined ? "" : ` To log in, ${advice}.`;
  const reason = words.replace(/\.+$/u, "");
  const message = `The agent needs a login: ${reason}.${offered}${what}${how}`;
  return { code: "AGENT_AUTH", message, rpc, methods, ...(agent === undefined ? {} : { agent }) };
}

/** Adds the reason from the error's data, since the message is often no more than "Internal error". */
function addReason(message: string, data: unknown): string {
  const reason = findReason(data, reasonLevelsMax)?.trim();
  if (reason === undefined || reason === "" || message.includes(reason)) return message;
  return `${message}: ${truncateText(reason, quotedCharactersMax)}`;
}

/** Members of an error's data in which agents put the reason, possibly nested. */
const reasonMembers = ["details", "detail", "message", "reason", "error"] as const;
const reasonLevelsMax = 4;

function findReason(data: unknown, levels: number): string | undefined {
  if (typeof data === "string") return data;
  if (levels === 0 || typeof data !== "object" || data === null) return undefined;
  if (Array.isArray(data)) return findReason(data[0], levels - 1);
  const members = data as Readonly<Record<string, unknown>>;
  for (const member of reasonMembers) {
    const reason = Object.hasOwn(members, member) ? findReason(members[member], levels - 1) : undefined;
    if (reason !== undefined && reason.trim() !== "") return reason;
  }
  return undefined;
}

function listMethodNames(authMethods: readonly AuthMethod[]): string {
  return truncateText(authMethods.map(({ name }) => name).join(", "), quotedCharactersMax);
}

function truncateError(error: RpcError, limits: ClientLimits): RpcError {
  const message = truncateText(error.message, limits.errorMessageCharactersMax);
  if (error.data === undefined) return { code: error.code, message };
  const json = stringifyJson(error.data);
  const data =
    json.length <= limits.errorDataCharactersMax ? error.data : truncateText(json, limits.errorDataCharactersMax);
  return { code: error.code, message, data };
}

function describeExit(exit: AgentExit): string {
  if (exit.stdoutClosed) return "closed its stdout, so it can send nothing more";
  return exit.signal === null ? `ended with exit code ${exit.code}` : `was ended by ${exit.signal}`;
}

function quoteCommand(agent: FailingAgent): string {
  return `"${truncateText(agent.command, quotedCharactersMax)}"`;
}

function quoteStderr(stderrTail: string): string {
  const text = stderrTail.trim();
  if (text === "") return "";
  const start = Math.max(0, text.length - quotedCharactersMax);
  const words = text.slice(start).replace(/^[\uDC00-\uDFFF]/, "");
  return `. Its last words on stderr: ${start > 0 ? "…" : ""}${words}`;
}
