// SPDX-License-Identifier: MIT OR Apache-2.0
// ACP's rules for reading what is not quite right: a malformed optional member counts as absent, a bad item of a list
// is dropped and the rest kept, and null stands for an empty list. What is required stays required.
import * as z from "zod";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";

/** UTF-16 units of what something is known by. It is held as long as that lives, and longer, so it has a bound. */
export const identifierCharactersMax = 1024;

export const identifier = z.string().max(identifierCharactersMax);

/** Null, anything that is not a string, and what is too long to be held count as absent. */
export const optionalIdentifier = identifier.optional().catch(undefined);

export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && value.length <= identifierCharactersMax;
}

/** Null and anything that is not a string count as absent. */
export const optionalText = z.string().optional().catch(undefined);

/** Null is kept: it clears. Anything else that is not a string counts as absent. */
export const clearableText = z.string().nullable().optional().catch(undefined);

/** Carried as it was written: a RawJson where JavaScript would write it otherwise. */
export const number = z.custom<number>((value) => typeof numberOf(value) === "number");

export const wholeNumber = z.custom<number>((value) => Number.isInteger(numberOf(value)));

/** Anything that is not true or false counts as absent. */
export const optionalFlag = z.boolean().optional().catch(undefined);

/** Anything that is not an object counts as absent; its members are not looked at. */
export const optionalObject = z.custom<Readonly<Record<string, unknown>>>(isRecord).optional().catch(undefined);

/** Read by hand afterwards, item by item. */
export const undecoded = z.unknown().optional();

/** Undefined when the value lacks something required. */
export function decode<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** The items that decode; undefined when the value is no list at all. */
export function decodeItems<T>(value: unknown, item: (value: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kept: T[] = [];
  for (const candidate of value) {
    const decoded = item(candidate);
    if (decoded !== undefined) kept.push(decoded);
  }
  return kept;
}

/** The object without its undefined members: absent and undefined are one on the wire, and should be one in memory. */
export function omitUndefined<const T extends object>(value: T): T {
  // A copy, since an object that a member was deleted from is slow ever after.
  const kept: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (value[key] !== undefined) kept[key] = value[key];
  }
  return kept as T;
}
