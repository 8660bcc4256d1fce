// SPDX-License-Identifier: MIT OR Apache-2.0
// Recognises the errors by which agents say that nobody is logged in, or that a login or a key is no longer accepted.
import { numberOf, tryParseJson } from "../json/raw-json.ts";
import { isRecord } from "../json/record.ts";
import { RPC, type RpcError } from "./jsonrpc/message.ts";

/**
 * ACP's code for it, HTTP's 401 in its place, or the error of the model's API that the agent passed on as it was: its
 * JSON as the message or in the data. No wording counts.
 */
export function isAuthError({ code, message, data }: RpcError): boolean {
  if (code === RPC.authRequired || code === unauthorized) return true;
  return isApiRefusal(data, levelsMax) || isApiRefusal(jsonIn(message), levelsMax);
}

const unauthorized = 401;
const levelsMax = 6;

/** The JSON object at the message's end: some agents write a few words before it. */
function jsonIn(message: string): unknown {
  const start = message.indexOf("{");
  if (start < 0 || message.length - start > jsonCharactersMax) return undefined;
  return tryParseJson(message.slice(start));
}

const jsonCharactersMax = 64 * 1024;

/** Google names the reason, and answers a wrong key with code 400; Anthropic and OpenAI name the type or the code. */
const authWords: ReadonlySet<unknown> = new Set([
  "UNAUTHENTICATED",
  "API_KEY_INVALID",
  "authentication_error",
  "authentication_failed",
  "invalid_api_key",
  "authRequired",
  "auth_required",
]);
const statusMembers = ["code", "status", "statusCode", "httpStatus"] as const;
const wordMembers = ["code", "status", "reason", "type", "errorKind"] as const;

function isApiRefusal(value: unknown, levels: number): boolean {
  if (levels === 0) return false;
  if (typeof value === "string") return isApiRefusal(jsonIn(value), levels - 1);
  if (Array.isArray(value)) return value.slice(0, itemsMax).some((item) => isApiRefusal(item, levels - 1));
  if (!isRecord(value)) return false;
  if (value["authRequired"] === true || statusMembers.some((member) => numberOf(value[member]) === unauthorized)) {
    return true;
  }
  if (wordMembers.some((member) => authWords.has(value[member]))) return true;
  return nestedMembers.some((member) => isApiRefusal(value[member], levels - 1));
}

const itemsMax = 16;
/** Where an error contains the error that it passes on. */
const nestedMembers = ["error", "details", "cause", "response", "message", "data"] as const;
