// SPDX-License-Identifier: MIT OR Apache-2.0
// ACP's rules for reading invalid values: a malformed optional member counts as absent, an invalid item of a list is
// dropped, and null stands for an empty list. Required members stay required.
import * as z from "zod";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";

/** Maximum length of an identifier, in UTF-16 units. Identifiers are kept in memory for long, so they are bounded. */
export const identifierCharactersMax = 1024;

export const identifier = z.string().max(identifierCharactersMax);

/** Null, values other than strings, and strings that are too long count as absent. */
export const optionalIdentifier = identifier.optional().catch(undefined);

export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && value.length <= identifierCharactersMax;
}

/** Null and values other than strings count as absent. */
export const optionalText = z.string().optional().catch(undefined);

/** Null is kept, since it clears the value. Other values that are not strings count as absent. */
export const clearableText = z.string().nullable().optional().catch(undefined);

/** A number, or a RawJson if JavaScript would round it or write it differently. */
export const number = z.custom<number>((value) => typeof numberOf(value) === "number");

export const wholeNumber = z.custom<number>((value) => Number.isInteger(numberOf(value)));

/** Values other than true and false count as absent. */
export const optionalFlag = z.boolean().optional().catch(undefined);

/** Values other than objects count as absent. The object's members are not checked. */
export const optionalObject = z.custom<Readonly<Record<string, unknown>>>(isRecord).optional().catch(undefined);

/** An object of ACP with these members and `_meta`. Members that it does not name are kept. */
export function acpObject<Shape extends z.ZodRawShape>(members: Shape) {
  return z.looseObject({ ...members, _meta: optionalObject });
}

/** Decoded separately, item by item. */
export const undecoded = z.unknown().optional();

/** Returns undefined if the value lacks a required member. */
export function decode<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** Returns the valid items; undefined if the value is not an array. */
export function decodeItems<T>(value: unknown, item: (value: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kept: T[] = [];
  for (const candidate of value) {
    const decoded = item(candidate);
    if (decoded !== undefined) kept.push(decoded);
  }
  return kept;
}
