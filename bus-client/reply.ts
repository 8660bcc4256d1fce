// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Frame, FrameHeaders } from "./wire.ts";

/** What came back. `rc`: 0 done, 1 to 9 done with a warning, 10 and up failed. */
export interface Reply {
  readonly rc: number;
  readonly headers: FrameHeaders;
  readonly body: string;
}

export interface ReplyFailure {
  /** `error_code` of the body, where there is one. */
  readonly code: string | undefined;
  readonly message: string;
}

/** A `rc` that is not 0 to 255 in decimal counts as absent; without one, an `error` header still means failure. */
export function replyOf(frame: Frame): Reply {
  const { headers, body } = frame;
  const text = headers["rc"];
  const number = text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 256;
  if (number <= 255) return { rc: number, headers, body };
  return { rc: headers["error"] === undefined ? 0 : 10, headers, body };
}

/**
 * Why a reply failed, or undefined where it did not. The text is looked for where every client of the Bus does: the
 * `error` header, the body's `error_code` and `message`, the body's `error`, the body itself.
 */
export function replyFailure(reply: Reply): ReplyFailure | undefined {
  if (reply.rc < 10) return undefined;
  const body = objectOf(reply.body);
  const code = textOf(body?.["error_code"]);
  const message = textOf(body?.["message"]);
  const text = reply.headers["error"] || (message && code ? `${code}: ${message}` : message) || textOf(body?.["error"]);
  return { code, message: text || reply.body || "unknown error" };
}

function objectOf(body: string): Record<string, unknown> | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
