// SPDX-License-Identifier: MIT OR Apache-2.0
// Classifies received JSON values by the rules of JSON-RPC 2.0, and serialises the messages that we send.
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
  /** An invalid JSON-RPC message, to be answered with -32600. */
  | { readonly type: "invalid"; readonly message: string; readonly id: RequestId }
  | { readonly type: "batch" }
  /** JSON that is not a message: a number, a string, a structured log line. */
  | { readonly type: "noise" };

export function classify(value: unknown): Incoming {
  if (Array.isArray(value)) return { type: "batch" };
  if (!isRecord(value)) return { type: "noise" };
  const { method } = value;
  // Ids are compared by value here. The answer echoes the id's text from the line.
  const id = numberOf(value["id"]);
  if (typeof method === "string") return classifyCall(value, method, id);
  if (method === undefined && id !== undefined && ("result" in value || "error" in value)) {
    return { type: "response", id, body: value };
  }
  // A structured log line may have an `id`. Without `jsonrpc` it must not fail one of our requests.
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

/** Returns a key that is equal for equal ids: 1 and 1.0 are equal, "1" differs, and unsafe integers compare by text. */
export function idKey(id: RequestId, rawId: string): string {
  if (typeof id === "string") return `s${id}`;
  if (id === null) return "null";
  return Number.isSafeInteger(id) ? `n${id}` : `n${rawId}`;
}

/** Returns the error of a response, completed if it lacks `code` or `message`. Undefined for no error or null. */
export function toRpcError(body: Readonly<Record<string, unknown>>): { error: RpcError; whole: boolean } | undefined {
  const { error } = body;
  if (error === undefined || error === null) return undefined;
  const {
    code: rawCode,
    message,
    data,
  } = isRecord(error) ? error : { code: undefined, message: undefined, data: error };
  const code = numberOf(rawCode);
  const whole = Number.isInteger(code) && typeof message === "string";
  const kept = {
    code: Number.isInteger(code) ? Number(code) : RPC.internalError,
    message: typeof message === "string" ? message : "The error has no message",
  };
  return { error: data === undefined ? kept : { ...kept, data }, whole };
}

export function requestLine(id: number, method: string, params: unknown): string {
  return replaceLoneSurrogates(stringifyJson({ jsonrpc: "2.0", id, method, params }));
}

export function notificationLine(method: string, params: unknown): string {
  return replaceLoneSurrogates(stringifyJson({ jsonrpc: "2.0", method, params }));
}

/** `rawId` is the id's JSON text as the peer wrote it. */
export function resultLine(rawId: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${rawId},"result":${replaceLoneSurrogates(stringifyJson(result))}}`;
}

export function errorLine(rawId: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${rawId},"error":${replaceLoneSurrogates(stringifyJson(error))}}`;
}

/** Replaces lone surrogates by U+FFFD: stringifyJson escapes them as \udXXX, which strict parsers refuse. */
function replaceLoneSurrogates(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) => (escape.startsWith("\\ud") ? "\\ufffd" : escape));
}

export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number" || id === null;
}
