// SPDX-License-Identifier: MIT OR Apache-2.0

import type { FrameHeaders } from "../wire.ts";

/** What the broker itself answers; the router adds who, to what, and under which id. */
export interface NodedReply {
  readonly rc: number;
  readonly error?: string;
  readonly body: string;
}

export function okBody(body: string): NodedReply {
  return { rc: 0, body };
}

export function failedBody(body: string): NodedReply {
  return { rc: 10, body };
}

export function failedHeader(error: string, rc = 10): NodedReply {
  return { rc, error, body: "" };
}

export function replyHeaders(reply: NodedReply, request: FrameHeaders): FrameHeaders {
  const headers: FrameHeaders = { from: "noded", rc: String(reply.rc), type: "response" };
  if (request["command"] !== undefined) headers["command"] = request["command"];
  if (request["id"] !== undefined) headers["id"] = request["id"];
  if (reply.error !== undefined) headers["error"] = reply.error;
  return headers;
}
