// SPDX-License-Identifier: MIT OR Apache-2.0
// JSON-RPC 2.0 over lines, as far as a well-behaved agent needs it.
import type { Readable, Writable } from "node:stream";
import { readLines } from "../line-reader.ts";

export type Params = Readonly<Record<string, unknown>>;
export type RequestId = string | number | null;

/** Thrown by a handler to respond with that error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
} as const;

export interface Handlers {
  /** Returns undefined for an unknown method. The signal fires when the client cancels the request. */
  request(method: string, params: Params, signal: AbortSignal): Promise<unknown> | undefined;
  notification(method: string, params: Params): void;
  /** The client closed our stdin. */
  closed(): void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Connection {
  readonly #output: Writable;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  readonly #running = new Map<RequestId, AbortController>();
  #nextId = 0;

  constructor(input: Readable, output: Writable, handlers: Handlers) {
    this.#output = output;
    this.#handlers = handlers;
    readLines(
      input,
      (line) => this.#receive(line),
      () => handlers.closed(),
    );
  }

  notify(method: string, params: Params): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** When the signal fires before the response, cancels the request and rejects with the signal's reason. */
  request(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#waiting.delete(id);
        this.notify("$/cancel_request", { requestId: id });
        reject(signal.reason as Error);
      };
      const settled = (): void => signal.removeEventListener("abort", withdraw);
      this.#waiting.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (error) => (settled(), reject(error)),
      });
      signal.addEventListener("abort", withdraw, { once: true });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  #receive(line: string): void {
    const message = parse(line);
    if (message === undefined) {
      this.#fail(null, new RpcError(rpcCodes.parseError, "not JSON"));
    } else if (!isObject(message)) {
      this.#fail(null, new RpcError(rpcCodes.invalidRequest, "not one JSON-RPC message"));
    } else if (typeof message["method"] === "string") {
      const params = isObject(message["params"]) ? message["params"] : {};
      if (isRequestId(message["id"])) void this.#serve(message["id"], message["method"], params);
      else if (message["id"] === undefined) this.#notified(message["method"], params);
      else this.#fail(null, new RpcError(rpcCodes.invalidRequest, "id must be a string, an integer or null"));
    } else if (typeof message["id"] === "number") {
      this.#answered(message["id"], message);
    }
  }

  async #serve(id: RequestId, method: string, params: Params): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      const result = this.#handlers.request(method, params, cancel.signal);
      if (result === undefined) throw new RpcError(rpcCodes.methodNotFound, `no method ${method}`);
      this.#send({ jsonrpc: "2.0", id, result: await result });
    } catch (error) {
      this.#fail(id, error);
    } finally {
      this.#running.delete(id);
    }
  }

  #notified(method: string, params: Params): void {
    if (method === "$/cancel_request") {
      const id = params["requestId"];
      if (isRequestId(id)) this.#running.get(id)?.abort();
    } else {
      this.#handlers.notification(method, params);
    }
  }

  #answered(id: number, message: Params): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id); // a response to a cancelled request has no entry
    if (isObject(message["error"])) waiting?.reject(new Error(String(message["error"]["message"])));
    else waiting?.resolve(message["result"]);
  }

  #fail(id: RequestId, error: unknown): void {
    const code = error instanceof RpcError ? error.code : rpcCodes.internalError;
    const message = error instanceof Error ? error.message : String(error);
    const data = error instanceof RpcError && error.data !== undefined ? { data: error.data } : {};
    this.#send({ jsonrpc: "2.0", id, error: { code, message, ...data } });
  }

  #send(message: Params): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }
}

export function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return value === null || typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
