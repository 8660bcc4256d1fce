// SPDX-License-Identifier: MIT OR Apache-2.0
// A form as an agent asks for it: ACP's `requestedSchema`, read field by field. What is not understood of a field makes
// it one that nobody can fill in; it is still shown.
import { isRecord } from "../../acp-client/jsonrpc/message.ts";

export interface Form {
  readonly fields: ReadonlyMap<string, Field>;
  readonly required: ReadonlySet<string>;
}

export type Field = { readonly default?: FieldValue } & (
  | {
      readonly type: "string";
      /** In characters (code points). */
      readonly lengthMin?: number;
      readonly lengthMax?: number;
      readonly pattern?: string;
      /** email, uri, date, date-time; another one says nothing. */
      readonly format?: string;
      readonly choices?: readonly string[];
    }
  | { readonly type: "number" | "integer"; readonly min?: number; readonly max?: number }
  | { readonly type: "boolean" }
  | {
      readonly type: "list";
      readonly countMin?: number;
      readonly countMax?: number;
      readonly choices: readonly string[];
    }
  | { readonly type: "unknown" }
);

export type FieldValue = string | number | boolean | readonly string[];

type Members = Readonly<Record<string, unknown>>;

/** Null stands for absent, as ACP has it. */
export function readForm(schema: Members): Form {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const fields = Object.entries(properties).map(([name, property]) => [name, readField(property)] as const);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return { fields: new Map(fields), required: new Set(required.filter((name) => typeof name === "string")) };
}

function readField(property: unknown): Field {
  const field = isRecord(property) ? typed(property) : undefined;
  if (!field || !isRecord(property)) return { type: "unknown" };
  const value = property["default"];
  return isValueOf(field, value) ? { ...field, default: value } : field;
}

/** Undefined where a bound of it cannot be read: it would be passed over in silence. */
function typed(property: Members): Field | undefined {
  switch (property["type"]) {
    case "string":
      return stringField(property);
    case "number":
    case "integer": {
      const bounds = numbers(property, ["minimum", "maximum"]);
      return bounds && { type: property["type"], ...named(bounds, "min", "max") };
    }
    case "boolean":
      return { type: "boolean" };
    case "array": {
      const counts = numbers(property, ["minItems", "maxItems"]);
      const choices = isRecord(property["items"]) ? itemChoices(property["items"]) : undefined;
      return counts && choices && { type: "list", ...named(counts, "countMin", "countMax"), choices };
    }
    default:
      return undefined;
  }
}

function stringField(property: Members): Field | undefined {
  const lengths = numbers(property, ["minLength", "maxLength"]);
  const { pattern, format } = property;
  const choices = choicesOf(property["enum"], property["oneOf"]);
  if (!lengths || choices === "unreadable" || !isTextOrAbsent(pattern) || !isTextOrAbsent(format)) return undefined;
  return {
    type: "string",
    ...named(lengths, "lengthMin", "lengthMax"),
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof format === "string" ? { format } : {}),
    ...(choices === undefined ? {} : { choices }),
  };
}

function itemChoices(items: Members): readonly string[] | undefined {
  const choices = choicesOf(items["enum"], items["anyOf"]);
  return choices === "unreadable" ? undefined : choices;
}

/** A list of values, or of values with titles. */
function choicesOf(plain: unknown, titled: unknown): readonly string[] | undefined | "unreadable" {
  const asked = plain ?? titled;
  if (asked === undefined || asked === null) return undefined;
  if (!Array.isArray(asked)) return "unreadable";
  const values = asked.map((item: unknown) => (plain !== asked && isRecord(item) ? item["const"] : item));
  return values.every((value) => typeof value === "string") ? values : "unreadable";
}

function numbers(property: Members, names: readonly [string, string]): readonly (number | undefined)[] | undefined {
  const found = names.map((name) => property[name] ?? undefined);
  return found.every((bound) => bound === undefined || typeof bound === "number") ? found : undefined;
}

function named<L extends string, H extends string>(
  [low, high]: readonly (number | undefined)[],
  lowName: L,
  highName: H,
): { readonly [Name in L | H]?: number } {
  const bounds = [
    [lowName, low],
    [highName, high],
  ].filter(([, bound]) => bound !== undefined);
  return Object.fromEntries(bounds) as { readonly [Name in L | H]?: number };
}

/** Whether it is of the field's type: what else it must be is looked at when somebody answers. */
export function isValueOf({ type }: Field, value: unknown): value is FieldValue {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "unknown":
      return false;
  }
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
