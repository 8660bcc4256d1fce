// SPDX-License-Identifier: MIT OR Apache-2.0
// Why a request came to nothing, in words for people and with the code that programs go by. Codes are decided by the
// JSON-RPC code alone: agents word their messages as they like.
import { stringifyJson } from "../json/raw-json.ts";
import type { AgentFailure, AgentFailureCode, Outcome } from "./agent-client.ts";
import type { ClientLimits } from "./client-limits.ts";
import { RPC } from "./jsonrpc/message.ts";
import type { RpcError } from "./jsonrpc/message.ts";
import { sampleOf } from "./jsonrpc/sample.ts";
import type { AuthMethod } from "./model.ts";
import type { AgentExit } from "./process/agent-process.ts";

/** How much of the command, of stderr and of the names of logins is quoted in a message, UTF-16 units. */
const quotedCharactersMax = 400;

export interface FailingAgent {
  /** The command as it may be shown. */
  readonly command: string;
  stderrTail(): string;
}

export function failed(
  code: AgentFailureCode,
  message: string,
): { readonly ok: false; readonly failure: AgentFailure } {
  return { ok: false, failure: { code, message } };
}

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** AGENT_PROTOCOL with the command and what it last said on stderr. */
export function protocolFailure(agent: FailingAgent, what: string): AgentFailure {
  const stderrTail = agent.stderrTail();
  return { code: "AGENT_PROTOCOL", message: `${quoted(agent)} ${what}${lastWords(stderrTail)}`, stderrTail };
}

export function exitFailure(agent: FailingAgent, exit: AgentExit): AgentFailure {
  const stderrTail = agent.stderrTail();
  if (exit.spawnError !== undefined) {
    const message = `${quoted(agent)} could not be started: ${exit.spawnError.message}`;
    return { code: "AGENT_UNAVAILABLE", message, exit, stderrTail };
  }
  return { code: "AGENT_EXITED", message: `${quoted(agent)} ${endOf(exit)}${lastWords(stderrTail)}`, exit, stderrTail };
}

export function rpcFailure(
  method: string,
  error: RpcError,
  authMethods: readonly AuthMethod[],
  limits: ClientLimits,
): AgentFailure {
  const rpc = boundedError(error, limits);
  switch (error.code) {
    case RPC.authRequired: {
      const offered = authMethods.map((known) => known.name).join(", ");
      const hint = offered === "" ? "" : ` It offers: ${sampleOf(offered, quotedCharactersMax)}.`;
      return {
        code: "AGENT_AUTH",
        message: `The agent needs a login: ${rpc.message}.${hint}`,
        rpc,
        methods: authMethods,
      };
    }
    case RPC.methodNotFound:
      return { code: "UNSUPPORTED", message: `The agent does not offer ${method}: ${rpc.message}`, rpc };
    default:
      return { code: "AGENT_ERROR", message: `The agent refused ${method}: ${rpc.message} (${rpc.code})`, rpc };
  }
}

function boundedError(error: RpcError, limits: ClientLimits): RpcError {
  const message = sampleOf(error.message, limits.errorMessageCharactersMax);
  if (error.data === undefined) return { code: error.code, message };
  const json = stringifyJson(error.data);
  const data =
    json.length <= limits.errorDataCharactersMax ? error.data : sampleOf(json, limits.errorDataCharactersMax);
  return { code: error.code, message, data };
}

function endOf(exit: AgentExit): string {
  if (exit.stdoutClosed) return "closed its stdout: it can no longer be heard";
  return exit.signal === null ? `ended with exit code ${exit.code}` : `was ended by ${exit.signal}`;
}

function quoted(agent: FailingAgent): string {
  return `"${sampleOf(agent.command, quotedCharactersMax)}"`;
}

function lastWords(stderrTail: string): string {
  const text = stderrTail.trim();
  if (text === "") return "";
  const start = Math.max(0, text.length - quotedCharactersMax);
  const words = text.slice(start).replace(/^[\uDC00-\uDFFF]/, "");
  return `. Its last words on stderr: ${start > 0 ? "…" : ""}${words}`;
}
