// SPDX-License-Identifier: MIT OR Apache-2.0

import { stringifyJson } from "../json/raw-json.ts";

/** What a citizen answers. `body` is JSON text, ready to be sent and to be kept. */
export interface Answer {
  /** 0 done, 1 to 9 done with a warning, 10 and up failed; 15 to 17 belong to the machinery. */
  readonly rc: number;
  readonly body: string;
}

export function done(value: unknown): Answer {
  return { rc: 0, body: stringifyJson(value) };
}

/** `{"error_code","message", …extra}`, rc 10. */
export function refused(code: string, message: string, extra: object = {}, rc = 10): Answer {
  return { rc, body: stringifyJson({ error_code: code, message, ...extra }) };
}

const errorCharactersMax = 1_024;

/**
 * The one line of text that goes with a failed answer as its `error` header, for callers that look there first: the same
 * as they would make of the body. Undefined for an answer that is no failure.
 */
export function errorLine({ rc, body }: Answer): string | undefined {
  if (rc < 10) return undefined;
  const { error_code: code, message, error } = objectOf(body);
  const text = typeof message === "string" ? (typeof code === "string" ? `${code}: ${message}` : message) : error;
  if (typeof text !== "string") return undefined;
  const line = text
    .replace(/[\s\u0085]+/g, " ")
    .trim()
    .slice(0, errorCharactersMax);
  // A header that begins like JSON and is none cannot be written.
  return line === "" || line.startsWith("{") || line.startsWith("[") ? undefined : line;
}

function objectOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
