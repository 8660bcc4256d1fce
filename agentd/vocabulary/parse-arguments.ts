// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses a verb's arguments, and turns zod's issues into messages that say what to write instead.
import type * as z from "zod";

export interface ArgumentError {
  /** Path of the wrong argument, such as `env.0`; empty if the arguments as a whole are wrong. */
  readonly field: string;
  readonly message: string;
}

export type ParsedArguments<T> =
  | { readonly ok: true; readonly args: T }
  | { readonly ok: false; readonly error: ArgumentError };

/** Reports only the first error, since the others may follow from it. */
export function parseArguments<S extends z.ZodType>(schema: S, args: unknown): ParsedArguments<z.output<S>> {
  const parsed = schema.safeParse(args, { error: messageFor });
  if (parsed.success) return { ok: true, args: parsed.data };
  const [issue] = deepestIssues(parsed.error.issues);
  const field = issue?.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : (issue?.path.join(".") ?? "");
  const reason = issue?.message ?? notUnderstood;
  return { ok: false, error: { field, message: field === "" ? reason : `${field}: ${reason}` } };
}

/** Picks the branch of a union that was parsed furthest: it is most likely the one that was meant. */
function deepestIssues(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const [first] = issues;
  if (first?.code !== "invalid_union" || first.errors.length === 0) return issues;
  const branches = first.errors
    .map((branch) => deepestIssues(branch))
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return (branches[0] ?? []).map((issue) => ({ ...issue, path: [...first.path, ...issue.path] }));
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

const notUnderstood = "is not understood";

/** The message of an issue whose schema has none of its own. */
function messageFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "too_small":
      return sizeMessage(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return sizeMessage(issue.origin, "at most", Number(issue.maximum));
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "invalid_format":
      return `must be ${formatNames[issue.format] ?? issue.format}`;
    case "unrecognized_keys":
      return "is not an argument of this verb";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return notUnderstood;
  }
}

function sizeMessage(origin: string, relation: "at least" | "at most", bound: number): string {
  const unit = origin === "string" ? "character" : origin === "array" ? "element" : undefined;
  if (unit === undefined) return `must be ${relation} ${bound}`;
  if (relation === "at least" && bound === 1) return "must not be empty";
  return `must have ${relation} ${bound} ${unit}${bound === 1 ? "" : "s"}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const formatNames: Readonly<Record<string, string>> = {
  datetime: "a time such as 2026-01-31T12:00:00Z",
  url: "a URL",
};
