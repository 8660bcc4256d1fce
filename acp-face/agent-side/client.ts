// SPDX-License-Identifier: MIT OR Apache-2.0
// The requests and notifications that an agent sends to its client.
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { ElicitationAnswer, PermissionAnswer, PermissionOption } from "../../acp-client/model.ts";
import { METHODS } from "../../acp-client/schema/v1/requests.ts";
import { isRecord } from "../../json/record.ts";
import type { ClientCapabilities } from "./agent.ts";
import { type Connection, ConnectionEnded } from "./connection.ts";
import { decodeClientCapabilities } from "./initialize-params.ts";
import { RequestError } from "./request-error.ts";

export interface PermissionQuestion {
  readonly sessionId: string;
  /** A ToolCallUpdate of ACP. */
  readonly toolCall: object;
  readonly options: readonly PermissionOption[];
}

/** `invalid`: an error, an option that was not offered, or no answer of ACP's. It is never an allow. */
export type AnswerToPermission = PermissionAnswer | { readonly outcome: "invalid" };

/**
 * Requests reject with the signal's reason when it is aborted; the client is then told that they are cancelled. They
 * reject with ConnectionEnded when the client goes away, and with a RequestError when it does not have the method: it has
 * answered nothing.
 */
export class Client {
  /** Nothing before initialize. */
  capabilities: ClientCapabilities = decodeClientCapabilities({});
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when the client reads fast enough for more. */
  update(sessionId: string, update: object): Promise<void> {
    return this.#connection.notify(METHODS.update, { sessionId, update });
  }

  async askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<AnswerToPermission> {
    const answer = await this.#ask(METHODS.requestPermission, question, signal);
    const outcome = isRecord(answer) && isRecord(answer["outcome"]) ? answer["outcome"] : {};
    if (outcome["outcome"] === "cancelled") return { outcome: "cancelled" };
    const isSelected = outcome["outcome"] === "selected";
    const option = isSelected && question.options.find(({ optionId }) => optionId === outcome["optionId"]);
    return option ? { outcome: "selected", option: option.optionId } : { outcome: "invalid" };
  }

  /** An error or an invalid answer is `cancel`. Rejects if the client does not offer that mode. */
  async elicit(
    question: { readonly mode: "form" | "url"; readonly [member: string]: unknown },
    signal: AbortSignal,
  ): Promise<ElicitationAnswer> {
    this.#checkOffered(question.mode === "form" ? "forms" : "urls", `an elicitation of the mode ${question.mode}`);
    const answer = await this.#ask(METHODS.elicitationCreate, question, signal);
    if (!isRecord(answer)) return { outcome: "cancel" };
    const { action: outcome, content } = answer;
    if (outcome === "accept") return isRecord(content) ? { outcome, content } : { outcome };
    return { outcome: outcome === "decline" ? "decline" : "cancel" };
  }

  /** Tells that what a URL was for is done. A client that does not offer URLs is told nothing. */
  completeElicitation(elicitationId: string): Promise<void> {
    if (!this.capabilities.urls) return Promise.resolve();
    return this.#connection.notify(METHODS.elicitationComplete, { elicitationId });
  }

  /**
   * Calls a method of the client's files or terminals. Null counts as an empty result. Rejects if the client does not
   * offer it or answers with an error, and for any other result: one client reports a failed write as a string.
   */
  async call(method: string, params: object, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    this.#checkOffered(capabilityFor(method), method);
    const result = await this.#connection.request(method, params, signal);
    if (result === null || result === undefined) return {};
    if (!isRecord(result))
      throw new Error(typeof result === "string" ? result : `The client answered ${method} wrongly`);
    return result;
  }

  /** Resolves to undefined for an error by which the client answers. */
  async #ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#connection.request(method, params, signal);
    } catch (error) {
      if (signal.aborted || error instanceof ConnectionEnded || isUnknownMethod(error)) throw error;
      return undefined;
    }
  }

  #checkOffered(capability: keyof ClientCapabilities | undefined, what: string): void {
    if (capability !== undefined && this.capabilities[capability]) return;
    throw new RequestError(RPC.methodNotFound, `The client does not offer ${what}`);
  }
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RequestError && error.rpc.code === RPC.methodNotFound;
}

function capabilityFor(method: string): keyof ClientCapabilities | undefined {
  if (method === "fs/read_text_file") return "readsFiles";
  if (method === "fs/write_text_file") return "writesFiles";
  return method.startsWith("terminal/") ? "terminal" : undefined;
}
