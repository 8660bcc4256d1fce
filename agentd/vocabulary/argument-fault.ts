// SPDX-License-Identifier: MIT OR Apache-2.0
// What is wrong with a verb's arguments, in words that say what to write instead.
import type * as z from "zod";

export interface ArgumentFault {
  /** Where it is: `env.0`; empty where it is the arguments as a whole. */
  readonly field: string;
  readonly message: string;
}

export type ParsedArguments<T> =
  | { readonly ok: true; readonly args: T }
  | { readonly ok: false; readonly fault: ArgumentFault };

/** The first fault alone: the others may follow from it. */
export function parseArguments<S extends z.ZodType>(schema: S, args: unknown): ParsedArguments<z.output<S>> {
  const parsed = schema.safeParse(args, { error: wordsFor });
  if (parsed.success) return { ok: true, args: parsed.data };
  const [issue] = furthest(parsed.error.issues);
  const field = issue?.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : (issue?.path.join(".") ?? "");
  const reason = issue?.message ?? notUnderstood;
  return { ok: false, fault: { field, message: field === "" ? reason : `${field}: ${reason}` } };
}

/** Of a union, the branch that came furthest says what is wrong. */
function furthest(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const [first] = issues;
  if (first?.code !== "invalid_union" || first.errors.length === 0) return issues;
  const branches = first.errors
    .map((branch) => furthest(branch))
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return (branches[0] ?? []).map((issue) => ({ ...issue, path: [...first.path, ...issue.path] }));
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

const notUnderstood = "is not understood";

/** Where a schema has no words of its own. */
function wordsFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case "too_small":
      return sized(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return sized(issue.origin, "at most", Number(issue.maximum));
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "invalid_format":
      return `must be ${formatWords[issue.format] ?? issue.format}`;
    case "unrecognized_keys":
      return "is no argument here";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return notUnderstood;
  }
}

function sized(origin: string, least: "at least" | "at most", bound: number): string {
  const what = origin === "string" ? "character" : origin === "array" ? "element" : undefined;
  if (what === undefined) return `must be ${least} ${bound}`;
  if (least === "at least" && bound === 1) return "must not be empty";
  return `must have ${least} ${bound} ${what}${bound === 1 ? "" : "s"}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const formatWords: Readonly<Record<string, string>> = {
  datetime: "a time such as 2026-01-31T12:00:00Z",
  url: "an address (URL)",
};
