// SPDX-License-Identifier: MIT OR Apache-2.0
// Validates an answer to a form. zod checks the rules of each field, but not its pattern, as zod would run an agent's
// regular expression without a time limit.
import { createContext, Script } from "node:vm";
import * as z from "zod";
import { numberOf } from "../../json/raw-json.ts";
import { type Content, type Field, type FieldType, type Form, hasLoneSurrogate, withDefaults } from "./form.ts";

/** `reason` continues a sentence that begins with the name of the field, or of the whole content. */
export interface ContentFault {
  /** Absent if the fault is the whole form's. */
  readonly field?: string;
  readonly reason: string;
}

/** Returns whether the pattern matches the text, or undefined if that could not be decided in time. */
export type Matches = (pattern: string, text: string) => boolean | undefined;

/** Returns the first fault, or undefined. The form's defaults must satisfy its rules too. */
export function faultOf(form: Form, written: Content, matches: Matches): ContentFault | undefined {
  const content = withDefaults(form, written);
  for (const [name, value] of Object.entries(content)) {
    const reason = valueFault(form, name, value, matches);
    if (reason !== undefined) return { field: name, reason };
  }
  for (const name of form.required) {
    if (Object.hasOwn(content, name)) continue;
    return { field: name, reason: form.fields.get(name) === undefined ? notUnderstood : "must be filled in" };
  }
  // A form without fields can have such a rule, too.
  return form.isUnderstood ? undefined : { reason: notUnderstood };
}

const notUnderstood = "is asked for in a way that is not understood here: the form can only be declined or cancelled";

function valueFault({ fields }: Form, name: string, value: unknown, matches: Matches): string | undefined {
  if (!fields.has(name))
    return `is not a field of the form: it has ${fields.size === 0 ? "none" : listed([...fields.keys()])}`;
  const field = fields.get(name);
  if (field === undefined) return notUnderstood;
  for (const rule of rulesOf(field)) {
    const { error } = rule.safeParse(numberOf(value), { error: (issue) => issueWords(issue, field.type) });
    if (error) return error.issues[0]?.message;
  }
  if ([value].flat().some((text) => typeof text === "string" && hasLoneSurrogate(text)))
    return "has half a character in it, which cannot be sent to the agent";
  if (field.pattern === undefined) return undefined;
  const found = matches(field.pattern, value as string);
  if (found === undefined) return "has a pattern that could not be held against it in time";
  return found ? undefined : `must match ${field.pattern}`;
}

function rulesOf({ type, bounds, choices, format }: Field): z.ZodType[] {
  const items = type === "array" ? { items: { type: "string" as const } } : {};
  const known = format === undefined ? undefined : formats.get(format);
  return [
    z.fromJSONSchema({ type, ...bounds, ...items }),
    ...(bounds["multipleOf"] === undefined ? [] : [wholeMultiple(bounds["multipleOf"])]),
    ...choices.map((list) => (type === "array" ? z.array(z.literal(list)) : z.literal(list))),
    ...(type === "array" ? [withoutRepeats] : []),
    ...(known === undefined ? [] : [known]),
  ];
}

const withoutRepeats = z
  .array(z.string())
  .refine((items) => new Set(items).size === items.length, "must not have one twice");

/** zod's own check tolerates rounding, and so accepts any whole number above 2^50 as a multiple. */
function wholeMultiple(of: number): z.ZodType {
  const isMultiple = (value: number) => !Number.isInteger(value) || !Number.isInteger(of) || value % of === 0;
  return z.number().refine(isMultiple, `must be a multiple of ${of}`);
}

/** The formats that ACP defines, checked loosely: the agent knows best what it can use. Other formats are ignored. */
const formats: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["email", z.email({ pattern: z.regexes.unicodeEmail, error: "must be an email address" })],
  // z.url() would accept surrounding spaces.
  ["uri", z.string().refine((text) => /^[a-z][a-z0-9+.-]*:/iu.test(text) && URL.canParse(text), "must be a URI")],
  ["date", z.iso.date("must be a date such as 2026-01-31")],
  [
    "date-time",
    z
      .string()
      .toUpperCase()
      .check(z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T12:00:00Z" })),
  ],
]);

const typeWords: Readonly<Record<FieldType, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list of texts",
};

function issueWords(issue: z.core.$ZodRawIssue, type: FieldType): string {
  if (issue.code === "too_small")
    return boundWords(issue.inclusive === false ? "more than" : "at least", issue.minimum, type);
  if (issue.code === "too_big")
    return boundWords(issue.inclusive === false ? "less than" : "at most", issue.maximum, type);
  if (issue.code === "not_multiple_of") return `must be a multiple of ${issue.divisor}`;
  if (issue.code === "invalid_value") return `must be ${type === "array" ? "some" : "one"} of ${listed(issue.values)}`;
  return `must be ${typeWords[type]}`;
}

function boundWords(compared: string, bound: number | bigint, type: FieldType): string {
  if (type === "array") return `must have ${compared} ${bound} of them`;
  return type === "string"
    ? `must have ${compared} ${bound} character${bound === 1 ? "" : "s"}`
    : `must be ${compared} ${bound}`;
}

function listed(values: readonly unknown[]): string {
  const more = values.length > listedMax ? `, and ${values.length - listedMax} more` : "";
  return `${values.slice(0, listedMax).join(", ")}${more}`;
}

const listedMax = 20;

/** UTF-16 units. */
const patternMax = 1_024;
const textMax = 64 * 1024;

/**
 * Matches a person's text against an agent's regular expression. A short pattern can backtrack for years, so it runs in a
 * context of its own, and `ms` limits all calls of the returned function together. It returns undefined for an invalid
 * pattern, for a pattern or text that is too long, and when the time is used up.
 */
export function matchesWithin(ms: number): Matches {
  const context = createContext({ pattern: "", text: "" });
  let left = ms;
  return (pattern, text) => {
    if (pattern.length > patternMax || text.length > textMax || left <= 0) return undefined;
    const began = performance.now();
    try {
      Object.assign(context, { pattern, text });
      return patternScript.runInContext(context, { timeout: Math.ceil(left) }) === true;
    } catch {
      return undefined;
    } finally {
      left -= performance.now() - began;
    }
  };
}

/** Gets pattern and text as values, not as code. Patterns that are invalid with the `u` flag are tried without it. */
const patternScript = new Script(`{
  let expression;
  try { expression = new RegExp(pattern, "u"); } catch { expression = new RegExp(pattern); }
  expression.test(text);
}`);
