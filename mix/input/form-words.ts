// SPDX-License-Identifier: MIT OR Apache-2.0
import { fieldValue, type FieldValue, formFields } from "../../agent-client/view/form-fields.ts";
import { usageError } from "../process/mix-error.ts";
import { assignment } from "./assignments.ts";

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

/** Splits a line into words as a shell does. Text in single or double quotes is not split. */
export function wordsOf(line: string): string[] {
  const words: readonly string[] = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g) ?? [];
  if (words.includes('"') || words.includes("'")) throw usageError("a quote is not closed");
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
