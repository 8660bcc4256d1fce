// SPDX-License-Identifier: MIT OR Apache-2.0

import { jsonObjectIn } from "./json-object.ts";
import type { Frame, FrameHeaders } from "./wire.ts";

/** The reply to a request. `rc`: 0 done, 1 to 9 done with a warning, 10 and up failed. */
export interface Reply {
  readonly rc: number;
  readonly headers: FrameHeaders;
  readonly body: string;
}

export interface ReplyFailure {
  /** The body's `error_code`, if it has one. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Treats an `rc` that is not a decimal from 0 to 255 as missing. Without an `rc`, an `error` header means failure. */
export function replyOf(frame: Frame): Reply {
  const { headers, body } = frame;
  const text = headers["rc"];
  const number = text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 256;
  if (number <= 255) return { rc: number, headers, body };
  return { rc: headers["error"] === undefined ? 0 : 10, headers, body };
}

/**
 * Returns why a reply failed, or undefined if it did not. Like every client of the Bus, takes the text from the first of:
 * the `error` header, the body's `error_code` and `message`, the body's `error`, the body itself.
 */
export function replyFailure(reply: Reply): ReplyFailure | undefined {
  if (reply.rc < 10) return undefined;
  const body = jsonObjectIn(reply.body);
  const code = textOf(body["error_code"]);
  const message = textOf(body["message"]);
  const text = reply.headers["error"] || (message && code ? `${code}: ${message}` : message) || textOf(body["error"]);
  return { code, message: text || reply.body || "unknown error" };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
