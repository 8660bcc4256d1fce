// SPDX-License-Identifier: MIT OR Apache-2.0
// Calls methods of the editor, within a time limit, and turns its failures into refusals on the Bus.
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { truncateText } from "../../acp-client/jsonrpc/sample.ts";
import { refused, type Answer, type Clock } from "../../bus-client/index.ts";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import type { Client } from "../agent-side/client.ts";
import { ConnectionEnded } from "../agent-side/connection.ts";
import { RequestError } from "../agent-side/request-error.ts";

export type Result = Readonly<Record<string, unknown>>;

export interface EditorCallsOptions {
  readonly client: Pick<Client, "call">;
  readonly clock: Clock;
}

/** Thrown for an answer on the Bus that is not a success. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(code: string, message: string, extra: object = {}) {
    super(message);
    this.answer = refused(code, message, extra);
  }
}

/** agentd waits 10 s for an answer. Some editors never answer a method that they do not know. */
export const editorMs = 9_000;

const messageCharactersMax = 1_000;

export class EditorCalls {
  readonly #options: EditorCallsOptions;

  constructor(options: EditorCallsOptions) {
    this.#options = options;
  }

  /** Throws a Refusal. */
  async call(method: string, params: object, ms = editorMs): Promise<Result> {
    const limit = new AbortController();
    const cancel = this.#options.clock.after(ms, () => limit.abort(new EditorSilent(method, ms)));
    try {
      return await this.callUntil(method, params, limit.signal);
    } finally {
      cancel();
    }
  }

  /** Without a time limit. Throws a Refusal. */
  async callUntil(method: string, params: object, signal: AbortSignal): Promise<Result> {
    try {
      return await this.#options.client.call(method, params, signal);
    } catch (error) {
      throw toRefusal(method, error);
    }
  }
}

class EditorSilent extends Error {
  constructor(method: string, ms: number) {
    super(`the editor did not answer ${method} within ${ms} ms`);
  }
}

/**
 * By UNSUPPORTED and UNAVAILABLE agentd learns that it is to do itself what was asked: a file can be read or written
 * twice. A command must not be run again where the editor may have run it.
 */
function toRefusal(method: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  const ofFile = method.startsWith("fs/");
  if (error instanceof EditorSilent) return new Refusal(ofFile ? "UNAVAILABLE" : "TIME_LIMIT", message);
  if (error instanceof ConnectionEnded) return new Refusal(ofFile ? "UNAVAILABLE" : "EDITOR_GONE", message);
  const { code, message: words } = error instanceof RequestError ? realError(error) : { code: undefined, message };
  if (code === RPC.methodNotFound) return new Refusal("UNSUPPORTED", words);
  const [line = ""] = words.split("\n");
  const shown = truncateText(line.trim() || `the editor failed at ${method}`, messageCharactersMax);
  return new Refusal("EDITOR_FAILED", shown, code === undefined ? {} : { rpc_code: code });
}

/** One editor answers with the code 0 and has the real error in `data`. */
function realError({ rpc }: RequestError): { readonly code: number; readonly message: string } {
  const [first] = rpc.code === 0 && Array.isArray(rpc.data) ? (rpc.data as readonly unknown[]) : [];
  const nested = isRecord(first) && isRecord(first["error"]) ? first["error"] : {};
  const code = numberOf(nested["code"]);
  const { message } = nested;
  return typeof code === "number" && typeof message === "string" ? { code, message } : rpc;
}
