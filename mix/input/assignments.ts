// SPDX-License-Identifier: MIT OR Apache-2.0
// Words of the form key=value, and their values.
import { parseJson } from "../../json/raw-json.ts";
import { usageError } from "../process/mix-error.ts";

export function assignment(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw usageError(`${word} is not of the form key=value`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Parses the text as JSON (numbers, true, null, arrays, objects, quoted strings) or else returns it as it is. */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Converts `true` and `false` for boolean options; any other text is a value of its own. */
export function optionValue(text: string): string | boolean {
  if (text === "true") return true;
  return text === "false" ? false : text;
}
