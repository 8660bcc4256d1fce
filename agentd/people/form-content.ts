// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether what somebody fills in is what a form asks for.
import { numberOf } from "../../json/raw-json.ts";
import {
  type Content,
  type Field,
  type FieldValue,
  type Form,
  type NumberBounds,
  isBroken,
  isValueOf,
  withDefaults,
} from "./form.ts";

/** `reason` goes on from the name of the field, or from that of the whole content. */
export interface ContentFault {
  /** Absent where it is the whole form's. */
  readonly field?: string;
  readonly reason: string;
}

/** Whether the pattern is found in the text; undefined where that cannot be told. */
export type Matches = (pattern: string, text: string) => boolean | undefined;

/** The first fault; undefined where there is none. A default is held to the same as a value that somebody wrote. */
export function faultOf(form: Form, written: Content, matches: Matches): ContentFault | undefined {
  const content = withDefaults(form, written);
  for (const [field, value] of Object.entries(content)) {
    const known = form.fields.get(field);
    const reason = known ? whyNot(known, value, matches) : `is no field of the form: it has ${namesOf(form)}`;
    if (reason !== undefined) return { field, reason };
  }
  for (const field of form.required) {
    if (Object.hasOwn(content, field)) continue;
    const isKnown = form.fields.get(field) !== undefined && form.fields.get(field)?.type !== "unknown";
    return { field, reason: isKnown ? "must be filled in" : notUnderstood };
  }
  // Also where it has no field at all.
  return form.isUnderstood ? undefined : { reason: notUnderstood };
}

const notUnderstood = "is asked for in a way that is not understood here: the form can only be declined or cancelled";

function whyNot(field: Field, value: unknown, matches: Matches): string | undefined {
  if (field.type === "unknown") return notUnderstood;
  if (!isValueOf(field, value)) return `must be ${typeWords[field.type]}`;
  if ([value].flat().some((one) => typeof one === "string" && isBroken(one))) return broken;
  if (field.type === "list") return whyNotList(field, value as readonly string[]);
  if (field.choices && !field.choices.includes(numberOf(value) as FieldValue))
    return `must be one of ${listed(field.choices)}`;
  switch (field.type) {
    case "string":
      return whyNotText(field, value as string, matches);
    case "number":
    case "integer":
      return whyNotNumber(field, numberOf(value) as number);
    case "boolean":
      return undefined;
  }
}

const broken = "has half a character in it, which cannot be sent to the agent";

function whyNotText(field: Extract<Field, { type: "string" }>, text: string, matches: Matches): string | undefined {
  const { pattern, format, lengthMin, lengthMax } = field;
  const length = outside(
    Array.from(text).length,
    lengthMin,
    lengthMax,
    (bound) => `must have ${bound} character${bound.endsWith(" 1") ? "" : "s"}`,
  );
  if (length !== undefined) return length;
  const known = format === undefined ? undefined : formats.get(format);
  if (known?.holds(text) === false) return `must be ${known.words}`;
  if (pattern === undefined) return undefined;
  const found = matches(pattern, text);
  if (found === undefined) return "has a pattern that could not be held against it in time";
  return found ? undefined : `must match ${pattern}`;
}

function whyNotNumber({ min, max, above, below, multipleOf }: NumberBounds, value: number): string | undefined {
  if (above !== undefined && value <= above) return `must be more than ${above}`;
  if (below !== undefined && value >= below) return `must be less than ${below}`;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) return `must be a multiple of ${multipleOf}`;
  return outside(value, min, max, (bound) => `must be ${bound}`);
}

/** Of fractions as people write them: 0.3 is three times 0.1, though the machine's numbers are not. */
function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 2 * Number.EPSILON;
}

function whyNotList(field: Extract<Field, { type: "list" }>, items: readonly string[]): string | undefined {
  const { choices, countMin, countMax } = field;
  // Both lists are another's, and may be long.
  const offered = new Set(choices);
  if (!items.every((item) => offered.has(item))) return `must be some of ${listed(choices)}`;
  if (new Set(items).size < items.length) return "must not have one twice";
  return outside(items.length, countMin, countMax, (bound) => `must have ${bound} of them`);
}

function outside(
  value: number,
  min: number | undefined,
  max: number | undefined,
  words: (bound: string) => string,
): string | undefined {
  if (min !== undefined && value < min) return words(`at least ${min}`);
  return max !== undefined && value > max ? words(`at most ${max}`) : undefined;
}

const typeWords = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  list: "a list of texts",
} as const satisfies Record<Exclude<Field["type"], "unknown">, string>;

/** Loose where the rules are: the agent knows best what it can use. */
const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["email", { words: "an email address", holds: (text) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/u.test(text) }],
  ["uri", { words: "a URI", holds: (text) => /^[a-z][a-z0-9+.-]*:/iu.test(text) && URL.canParse(text) }],
  ["date", { words: "a date such as 2026-01-31", holds: isDate }],
  ["date-time", { words: "a time such as 2026-01-31T12:00:00Z", holds: isDateTime }],
]);

interface Format {
  readonly words: string;
  readonly holds: (text: string) => boolean;
}

function isDateTime(text: string): boolean {
  const [, day, time] =
    /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))$/u.exec(text) ?? [];
  return (
    day !== undefined && time !== undefined && isDate(day) && !Number.isNaN(Date.parse(`${day}T${time.toUpperCase()}`))
  );
}

/** One of the calendar: not the 30th of February. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function namesOf({ fields }: Form): string {
  return fields.size === 0 ? "none" : listed([...fields.keys()]);
}

function listed(values: readonly FieldValue[]): string {
  const more = values.length > listedMax ? `, and ${values.length - listedMax} more` : "";
  return `${values.slice(0, listedMax).join(", ")}${more}`;
}

const listedMax = 20;
