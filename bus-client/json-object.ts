// SPDX-License-Identifier: MIT OR Apache-2.0
import { isRecord } from "../json/record.ts";

/** Returns the JSON object in a text; an empty one if it holds anything else. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
