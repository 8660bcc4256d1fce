// SPDX-License-Identifier: MIT OR Apache-2.0
// Words of the form key=value, and their values.
import { fieldValue, type FieldValue, formFields } from "../../agent-client/view/form-fields.ts";
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

/** Parses words of the form field=value. A field that takes several values is repeated. */
export function formContent(schema: unknown, words: readonly string[]): Record<string, FieldValue | string[]> {
  const fields = new Map(formFields(schema).map((field) => [field.name, field]));
  const content = new Map<string, FieldValue | string[]>();
  for (const [name, word] of words.map(assignment)) {
    const before = content.get(name);
    if (fields.get(name)?.type === "array") content.set(name, [...(Array.isArray(before) ? before : []), word]);
    else if (before !== undefined) throw usageError(`${name} takes one value`);
    else content.set(name, fieldValue(fields.get(name), word));
  }
  return Object.fromEntries(content);
}

/** Splits typed answers into words. Text in single or double quotes is not split; a backslash is an ordinary character. */
export function wordsOf(line: string): string[] {
  const words: readonly string[] = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g) ?? [];
  if (words.includes('"') || words.includes("'")) throw usageError("a quote is not closed");
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
