// SPDX-License-Identifier: MIT OR Apache-2.0
// A form as an agent asks for it: ACP's `requestedSchema`, read field by field. What is not understood of a field makes
// it one that nobody can fill in; it is still shown.
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";

export type Content = Readonly<Record<string, unknown>>;

export interface Form {
  readonly fields: ReadonlyMap<string, Field>;
  readonly required: ReadonlySet<string>;
  /** A rule over the whole form is not read here: nothing can be answered but no. */
  readonly isUnderstood: boolean;
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
      readonly choices?: readonly FieldValue[];
    }
  | ({ readonly type: "number" | "integer"; readonly choices?: readonly FieldValue[] } & NumberBounds)
  | { readonly type: "boolean"; readonly choices?: readonly FieldValue[] }
  | {
      readonly type: "list";
      readonly countMin?: number;
      readonly countMax?: number;
      readonly choices: readonly FieldValue[];
    }
  | { readonly type: "unknown" }
);

export interface NumberBounds {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multipleOf?: number;
}

export type FieldValue = string | number | boolean | readonly string[];

type Members = Readonly<Record<string, unknown>>;

/** Null stands for absent, as ACP has it. */
export function readForm(schema: Members): Form {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const isUnderstood = !hasAny(schema, rulesOfForms);
  const fields = Object.entries(properties).map(([name, property]): [string, Field] => {
    // Under a name that cannot be written to the agent nothing can be answered.
    return [name, isUnderstood && !isBroken(name) ? readField(property) : { type: "unknown" }];
  });
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return {
    fields: new Map(fields),
    required: new Set(required.filter((name) => typeof name === "string")),
    isUnderstood,
  };
}

// JSON Schema's rules that are not read here. Other members say nothing that an answer could break.
const rules = ["not", "if", "allOf", "$ref", "$dynamicRef"];
const selections = ["enum", "const", "oneOf", "anyOf"];
const rulesOfLists = [...rules, ...selections, "contains", "prefixItems"];
const rulesOfItems = [...rules, "pattern", "minLength", "maxLength"];
const ofAllFields = ["minProperties", "maxProperties", "propertyNames", "patternProperties"];
const ofSomeFields = ["dependentRequired", "dependentSchemas", "dependencies"];
const rulesOfForms = [...rules, ...selections, ...ofAllFields, ...ofSomeFields];

function hasAny(members: Members, names: readonly string[]): boolean {
  return names.some((name) => (members[name] ?? undefined) !== undefined);
}

function readField(property: unknown): Field {
  const field = isRecord(property) ? typed(property) : undefined;
  if (!field || !isRecord(property)) return { type: "unknown" };
  const value = property["default"];
  return isValueOf(field, value) ? { ...field, default: value } : field;
}

/** Undefined where a bound of it cannot be read: it would be passed over in silence. */
function typed(property: Members): Field | undefined {
  const { type } = property;
  if (type === "array") return listField(property);
  if ((type !== "string" && type !== "number" && type !== "integer" && type !== "boolean") || hasAny(property, rules)) {
    return undefined;
  }
  const choices = choicesOf(property, type);
  if (choices === "unreadable") return undefined;
  const chosen = choices === undefined ? {} : { choices };
  if (type === "boolean") return { type, ...chosen };
  const field = type === "string" ? stringField(property) : numberField(property, type);
  return field && { ...field, ...chosen };
}

function stringField(property: Members): Extract<Field, { type: "string" }> | undefined {
  const lengths = bounds(property, { minLength: "lengthMin", maxLength: "lengthMax" });
  const { pattern, format } = property;
  if (!lengths || !isTextOrAbsent(pattern) || !isTextOrAbsent(format)) return undefined;
  return {
    type: "string",
    ...lengths,
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof format === "string" ? { format } : {}),
  };
}

function numberField(property: Members, type: "number" | "integer"): Extract<Field, NumberBounds> | undefined {
  const found = bounds(property, {
    minimum: "min",
    maximum: "max",
    exclusiveMinimum: "above",
    exclusiveMaximum: "below",
    multipleOf: "multipleOf",
  });
  return found && (found.multipleOf ?? 1) > 0 ? { type, ...found } : undefined;
}

function listField(property: Members): Field | undefined {
  const counts = bounds(property, { minItems: "countMin", maxItems: "countMax" });
  const { items } = property;
  if (!counts || !isRecord(items) || (items["type"] ?? "string") !== "string") return undefined;
  if (hasAny(property, rulesOfLists) || hasAny(items, rulesOfItems)) return undefined;
  const choices = choicesOf(items, "string");
  return choices === undefined || choices === "unreadable" ? undefined : { type: "list", ...counts, choices };
}

/** What it may be by all that says so: a list of values, one of values with titles, a value alone. */
function choicesOf(
  property: Members,
  type: "string" | "number" | "integer" | "boolean",
): readonly FieldValue[] | undefined | "unreadable" {
  const titled = [property["oneOf"], property["anyOf"]].map((list) => (Array.isArray(list) ? list.map(valueOf) : list));
  const single = property["const"] ?? undefined;
  const lists = [property["enum"], ...titled, single === undefined ? undefined : [single]];
  let choices: readonly FieldValue[] | undefined;
  for (const list of lists) {
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) return "unreadable";
    const values = list.map(numberOf);
    if (!values.every((value): value is FieldValue => isValueOf({ type }, value))) return "unreadable";
    const also = new Set(values);
    choices = choices?.filter((value) => also.has(value)) ?? values;
  }
  return choices;
}

function valueOf(item: unknown): unknown {
  return isRecord(item) ? item["const"] : item;
}

/** Under our names; undefined where one of them is no number. */
function bounds<N extends string>(
  property: Members,
  names: Readonly<Record<string, N>>,
): { readonly [Name in N]?: number } | undefined {
  const found = Object.entries(names).map(
    ([keyword, name]) => [name, numberOf(property[keyword]) ?? undefined] as const,
  );
  const given = found.filter(([, bound]) => bound !== undefined);
  if (!given.every(([, bound]) => typeof bound === "number")) return undefined;
  return Object.fromEntries(given) as { readonly [Name in N]?: number };
}

/** Whether it is of the field's type: what else it must be is looked at when somebody answers. */
export function isValueOf({ type }: Pick<Field, "type">, value: unknown): value is FieldValue {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "number":
      return Number.isFinite(numberOf(value));
    case "integer":
      return Number.isSafeInteger(numberOf(value));
    case "boolean":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "unknown":
      return false;
  }
}

/** Fields that were left out, as the form fills them in. */
export function withDefaults({ fields }: Form, content: Content): Record<string, unknown> {
  const defaults = [...fields].filter(([name, field]) => field.default !== undefined && !Object.hasOwn(content, name));
  return { ...Object.fromEntries(defaults.map(([name, field]) => [name, field.default])), ...content };
}

/** It has half a character in it, for which an agent would get another one. */
export function isBroken(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
