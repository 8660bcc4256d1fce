// SPDX-License-Identifier: MIT OR Apache-2.0
// Words of the form key=value.
import { parseJson } from "../../json/raw-json.ts";
import { usageError } from "../process/mix-error.ts";

export function assignment(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw usageError(`${word} is not of the form key=value`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** A JSON value where the text is one (numbers, true, null, lists, objects, quoted texts), else the text itself. */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** An option's value as agentd takes it: on and off are for options that are true or false. */
export function optionValue(text: string): string | boolean {
  if (text === "true") return true;
  return text === "false" ? false : text;
}
