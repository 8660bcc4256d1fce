// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson } from "./raw-json.ts";

/** Whether a value that parseJson made is an object with members: no array, and no number that is kept as its text. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}
