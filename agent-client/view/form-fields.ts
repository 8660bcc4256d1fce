// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the fields of a form to show them, and converts typed text to their values. agentd validates the answer.
import { numberOf, parseJson, type RawJson } from "../../json/raw-json.ts";

export interface FormField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** The rules of a value, as phrases for people. */
  readonly bounds: readonly string[];
  readonly choices?: readonly { readonly value: string; readonly title?: string }[];
}

type Members = Readonly<Record<string, unknown>>;

export function formFields(schema: unknown): FormField[] {
  const form = members(schema);
  const required = Array.isArray(form["required"]) ? form["required"] : [];
  return Object.entries(members(form["properties"])).map(([name, property]) => {
    const field = members(property);
    const { type, title, description, default: value } = field;
    const choices = choicesOf(field) ?? choicesOf(members(field["items"]));
    return {
      name,
      type: typeof type === "string" ? type : "unknown",
      required: required.includes(name),
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
      ...(value === undefined || value === null ? {} : { default: value }),
      bounds: boundsOf(field),
      ...(choices === undefined ? {} : { choices }),
    };
  });
}

/** Converts a word to the field's type. A word that does not fit is returned as it is: agentd says what is wrong. */
export function fieldValue(field: FormField | undefined, word: string): FieldValue {
  if (field?.type === "boolean") return truths.get(word) ?? word;
  const wantsNumber = field?.type === "number" || field?.type === "integer";
  return wantsNumber && word.trim() !== "" && Number.isFinite(Number(word)) ? numberIn(word) : word;
}

/** Keeps every digit of a JSON number. JavaScript's other notations become plain numbers. */
function numberIn(word: string): number | RawJson {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? (parseJson(word) as number) : Number(word);
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

export type FieldValue = string | number | RawJson | boolean;

function choicesOf(field: Members): FormField["choices"] {
  const listed = field["enum"] ?? field["oneOf"] ?? field["anyOf"];
  if (!Array.isArray(listed)) return undefined;
  return listed.flatMap((item: unknown) => {
    if (typeof item === "string") return [{ value: item }];
    const { const: value, title } = members(item);
    if (typeof value !== "string") return [];
    return [{ value, ...(typeof title === "string" ? { title } : {}) }];
  });
}

function boundsOf(field: Members): string[] {
  const { format, pattern } = field;
  return [
    rangeWords(field["minimum"], field["maximum"], ""),
    rangeWords(field["minLength"], field["maxLength"], " characters"),
    rangeWords(field["minItems"], field["maxItems"], " of them"),
    typeof format === "string" ? `as ${format}` : "",
    typeof pattern === "string" ? `matches ${pattern}` : "",
  ].filter((words) => words !== "");
}

function rangeWords(low: unknown, high: unknown, what: string): string {
  if (!isNumber(low)) return isNumber(high) ? `at most ${String(high)}${what}` : "";
  return `${isNumber(high) ? `${String(low)} to ${String(high)}` : `at least ${String(low)}`}${what}`;
}

function isNumber(value: unknown): value is number | RawJson {
  return typeof numberOf(value) === "number";
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
