// SPDX-License-Identifier: MIT OR Apache-2.0

import { stringifyJson } from "../json/raw-json.ts";
import { jsonObjectIn } from "./json-object.ts";

/** A citizen's answer. `body` is JSON text, ready to be sent or stored. */
export interface Answer {
  /** 0: done; 1 to 9: done with a warning; 10 and up: failed. 15 to 17 are reserved for this package. */
  readonly rc: number;
  readonly body: string;
}

export function done(value: unknown): Answer {
  return { rc: 0, body: stringifyJson(value) };
}

/** A failure with the body `{"error_code", "message", …extra}` and by default rc 10. */
export function refused(code: string, message: string, extra: object = {}, rc = 10): Answer {
  return { rc, body: stringifyJson({ error_code: code, message, ...extra }) };
}

const errorCharactersMax = 1_024;

/**
 * Returns the one-line `error` header of a failed answer, for callers that read the header first. It says the same as the
 * body. Undefined for an answer that is not a failure.
 */
export function errorLine({ rc, body }: Answer): string | undefined {
  if (rc < 10) return undefined;
  const { error_code: code, message, error } = jsonObjectIn(body);
  const text = typeof message === "string" ? (typeof code === "string" ? `${code}: ${message}` : message) : error;
  if (typeof text !== "string") return undefined;
  const line = text
    .replace(/[\s\u0085]+/g, " ")
    .trim()
    .slice(0, errorCharactersMax);
  // A header value that starts like JSON but is not JSON cannot be serialised.
  return line === "" || line.startsWith("{") || line.startsWith("[") ? undefined : line;
}
