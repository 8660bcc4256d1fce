// SPDX-License-Identifier: MIT OR Apache-2.0

import type { FrameHeaders } from "../wire.ts";

/** The broker's own reply. `replyHeaders` adds the sender, the command and the id. */
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
  // The headers are set in sorted order, as they are written.
  const headers: FrameHeaders = {};
  if (request["command"] !== undefined) headers["command"] = request["command"];
  if (reply.error !== undefined) headers["error"] = reply.error;
  headers["from"] = "noded";
  if (request["id"] !== undefined) headers["id"] = request["id"];
  headers["rc"] = String(reply.rc);
  headers["type"] = "response";
  return headers;
}
