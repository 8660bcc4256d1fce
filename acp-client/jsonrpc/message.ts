// SPDX-License-Identifier: MIT OR Apache-2.0
// One JSON value of the wire, told apart by JSON-RPC 2.0's rules, and the text of what we send.
import { numberOf, stringifyJson } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  resourceNotFound: -32002,
  unsupportedVersion: -32022,
} as const;

export type RequestId = string | number | null;

export type Incoming =
  | { readonly type: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly type: "notification"; readonly method: string; readonly params: unknown }
  | { readonly type: "response"; readonly id: unknown; readonly body: Readonly<Record<string, unknown>> }
  /** It means to be JSON-RPC, and is not: answered with -32600. */
  | { readonly type: "invalid"; readonly message: string; readonly id: RequestId }
  | { readonly type: "batch" }
  /** JSON by accident: a number, a string, a structured log line. */
  | { readonly type: "noise" };

export function classify(value: unknown): Incoming {
  if (Array.isArray(value)) return { type: "batch" };
  if (!isRecord(value)) return { type: "noise" };
  const { method } = value;
  // Of an id the value tells which request is meant; its text is echoed from the line.
  const id = numberOf(value["id"]);
  if (typeof method === "string") return classifyCall(value, method, id);
  if (method === undefined && id !== undefined && ("result" in value || "error" in value)) {
    return { type: "response", id, body: value };
  }
  // A log line of the agent may well have an `id`: without `jsonrpc` it must not be able to fail a request of ours.
  if (value["jsonrpc"] !== "2.0") return { type: "noise" };
  if (method === undefined && (id !== undefined || "result" in value || "error" in value)) {
    return { type: "response", id, body: value };
  }
  return { type: "invalid", message: "method must be a string", id: isRequestId(id) ? id : null };
}

function classifyCall(value: Readonly<Record<string, unknown>>, method: string, id: unknown): Incoming {
  const { params } = value;
  if (!("id" in value)) return { type: "notification", method, params };
  if (isRequestId(id)) return { type: "request", id, method, params };
  return { type: "invalid", message: "id must be a number, a string or null", id: null };
}

/** Two ids are the same when their owner would read them as the same: 1 and 1.0 are, "1" is another. */
export function idKey(id: RequestId, rawId: string): string {
  if (typeof id === "string") return `s${id}`;
  if (id === null) return "null";
  return Number.isSafeInteger(id) ? `n${id}` : `n${rawId}`;
}

/** The error of a response, made whole where it is not; undefined when there is none (null counts as none). */
export function toRpcError(body: Readonly<Record<string, unknown>>): { error: RpcError; whole: boolean } | undefined {
  const { error } = body;
  if (error === undefined || error === null) return undefined;
  const { code: told, message, data } = isRecord(error) ? error : { code: undefined, message: undefined, data: error };
  const code = numberOf(told);
  const whole = Number.isInteger(code) && typeof message === "string";
  const kept = {
    code: Number.isInteger(code) ? Number(code) : RPC.internalError,
    message: typeof message === "string" ? message : "The error came without a message",
  };
  return { error: data === undefined ? kept : { ...kept, data }, whole };
}

export function requestLine(id: number, method: string, params: unknown): string {
  return replaceLoneSurrogates(stringifyJson({ jsonrpc: "2.0", id, method, params }));
}

export function notificationLine(method: string, params: unknown): string {
  return replaceLoneSurrogates(stringifyJson({ jsonrpc: "2.0", method, params }));
}

/** `rawId` is the id's JSON text as the other side wrote it. */
export function resultLine(rawId: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${rawId},"result":${replaceLoneSurrogates(stringifyJson(result))}}`;
}

export function errorLine(rawId: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${rawId},"error":${replaceLoneSurrogates(stringifyJson(error))}}`;
}

/** stringifyJson escapes a lone surrogate as \udXXX, which strict parsers refuse: U+FFFD takes its place. */
function replaceLoneSurrogates(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) => (escape.startsWith("\\ud") ? "\\ufffd" : escape));
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number" || id === null;
}
