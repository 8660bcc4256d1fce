// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson, tryParseJson } from "./raw-json.ts";

/** Whether a value of parseJson is an object with members: neither an array nor a RawJson. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}

/** Returns the object in a JSON text; an empty one if the text holds anything else. */
export function recordIn(text: string): Readonly<Record<string, unknown>> {
  const value = tryParseJson(text);
  return isRecord(value) ? value : {};
}
