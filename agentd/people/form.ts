// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the form of an elicitation (ACP's `requestedSchema`) field by field, and fills in its defaults. A field with an
// unsupported rule is not understood: people see it, but nobody can fill it in. The session core uses this file, so it
// must not import zod or node: modules. form-content.ts validates answers.
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";

export type Content = Readonly<Record<string, unknown>>;

export interface Form {
  /** By name, in the form's order. Undefined for a field that is not understood. */
  readonly fields: ReadonlyMap<string, Field | undefined>;
  readonly required: ReadonlySet<string>;
  /** False if the form has a rule about all its fields together: it can only be declined or cancelled. */
  readonly isUnderstood: boolean;
}

/** The supported rules of one field. Their types are checked, so that zod gets nothing else that an agent wrote. */
export interface Field {
  readonly type: FieldType;
  /** Finite numbers, under JSON Schema's names for the type's bounds. */
  readonly bounds: Readonly<Record<string, number>>;
  /** The lists of allowed values (of the value, or of each item of an array): `enum`, `const`, `oneOf` and `anyOf`. */
  readonly choices: readonly (readonly Choice[])[];
  readonly pattern?: string;
  readonly format?: string;
  /** As the agent wrote it. Absent if it does not have the field's type. */
  readonly default?: unknown;
}

export type FieldType = keyof typeof boundsOf;
export type Choice = string | number | boolean;

const boundsOfNumbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const boundsOf = {
  string: ["minLength", "maxLength"],
  number: boundsOfNumbers,
  integer: boundsOfNumbers,
  boolean: [],
  array: ["minItems", "maxItems"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

// Unsupported rules of JSON Schema. All other unknown members are annotations, which no answer can violate.
const rules = ["not", "if", "allOf", "$ref", "$dynamicRef"];
const selections = ["enum", "const", "oneOf", "anyOf"];
const rulesOfLists = [...rules, ...selections, "contains", "prefixItems"];
const rulesOfItems = [...rules, "pattern", "minLength", "maxLength"];
const ofAllFields = ["minProperties", "maxProperties", "propertyNames", "patternProperties"];
const ofSomeFields = ["dependentRequired", "dependentSchemas", "dependencies"];
const rulesOfForms = [...rules, ...selections, ...ofAllFields, ...ofSomeFields];

/** Never throws. Null stands for absent, as in ACP. */
export function readForm(schema: Content): Form {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const isUnderstood = !hasAny(schema, rulesOfForms);
  const fields = Object.entries(properties).map(([name, property]): [string, Field | undefined] => {
    // A name with a lone surrogate cannot be sent to the agent.
    return [name, isUnderstood && !hasLoneSurrogate(name) ? readField(property) : undefined];
  });
  return {
    fields: new Map(fields),
    required: new Set(required.filter((name) => typeof name === "string")),
    isUnderstood,
  };
}

/** Adds the defaults of the fields that have no value. */
export function withDefaults({ fields }: Form, content: Content): Record<string, unknown> {
  const defaults = [...fields].filter(([name, field]) => field?.default !== undefined && !Object.hasOwn(content, name));
  return { ...Object.fromEntries(defaults.map(([name, field]) => [name, field?.default])), ...content };
}

/** True if the text has a lone surrogate, which UTF-8 cannot encode. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function readField(property: unknown): Field | undefined {
  if (!isRecord(property)) return undefined;
  const { type, items, pattern, format, default: standard } = property;
  if (!isFieldType(type) || hasAny(property, type === "array" ? rulesOfLists : rules)) return undefined;
  const bounds = readBounds(property, boundsOf[type]);
  const choices = type === "array" ? readItems(items) : readChoices(property, type);
  if (!bounds || !choices || (type === "string" && ![pattern, format].every(isTextOrAbsent))) return undefined;
  return {
    type,
    bounds,
    choices,
    ...(type === "string" && typeof pattern === "string" ? { pattern } : {}),
    ...(type === "string" && typeof format === "string" ? { format } : {}),
    ...(isOfType[type](standard) ? { default: standard } : {}),
  };
}

function readBounds(property: Content, names: readonly string[]): Record<string, number> | undefined {
  const given = names.filter((name) => (property[name] ?? undefined) !== undefined);
  const bounds = given.map((name) => [name, numberOf(property[name])] as const);
  const areRead = bounds.every(([name, bound]) => typeof bound === "number" && (name !== "multipleOf" || bound > 0));
  if (!areRead) return undefined;
  return Object.fromEntries(bounds.map(([name, bound]) => [name, finite(bound as number)]));
}

/** Replaces a bound such as 1e400 by the largest double, because zod ignores infinite bounds. */
function finite(bound: number): number {
  return Math.min(Math.max(bound, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** Reads the items of an array, which must be strings from a list of choices. */
function readItems(items: unknown): Field["choices"] | undefined {
  if (!isRecord(items) || (items["type"] ?? "string") !== "string" || hasAny(items, rulesOfItems)) return undefined;
  const choices = readChoices(items, "string");
  return choices?.length === 0 ? undefined : choices;
}

function readChoices(property: Content, type: FieldType): Field["choices"] | undefined {
  const titled = [property["oneOf"], property["anyOf"]].map((list) => (Array.isArray(list) ? list.map(valueOf) : list));
  const single = property["const"] ?? undefined;
  const lists = [property["enum"], ...titled, single === undefined ? undefined : [single]];
  const given = lists.filter((list) => list !== undefined && list !== null);
  const choices = given.map((list) => (Array.isArray(list) && list.length > 0 ? list.map(numberOf) : undefined));
  const areRead = choices.every((list) => list?.every((value) => isOfType[type](value)));
  return areRead ? (choices as Choice[][]) : undefined;
}

function valueOf(item: unknown): unknown {
  return isRecord(item) ? item["const"] : item;
}

const isOfType: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isFinite(numberOf(value)),
  integer: (value) => Number.isSafeInteger(numberOf(value)),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

function isFieldType(type: unknown): type is FieldType {
  return typeof type === "string" && Object.hasOwn(boundsOf, type);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function hasAny(members: Content, names: readonly string[]): boolean {
  return names.some((name) => (members[name] ?? undefined) !== undefined);
}
