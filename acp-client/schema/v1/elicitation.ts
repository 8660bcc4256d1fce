// SPDX-License-Identifier: MIT OR Apache-2.0
// elicitation/create. What is half understood is not asked; what stands in a form is for whoever shows it to read.
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import type { Elicitation } from "../../model.ts";
import { decode, identifier, optionalIdentifier } from "../lenient.ts";

const head = { sessionId: identifier, toolCallId: optionalIdentifier, message: z.string() };
// The members' own values are left as they came: names are the agent's, and may be any.
const members = z.custom<Readonly<Record<string, unknown>>>(isRecord);
const requestedSchema = members.refine(
  ({ properties, required }) =>
    members.nullish().safeParse(properties).success && z.array(z.string()).nullish().safeParse(required).success,
);
const Form = z.looseObject({ ...head, mode: z.literal("form"), requestedSchema });
const Url = z.looseObject({ ...head, mode: z.literal("url"), elicitationId: identifier, url: z.string() });

/** UTF-16 units. A longer one nobody can look through before opening it. */
const urlCharactersMax = 8_192;

/** Undefined when a required member is missing or malformed, a form's lists of fields too, and for what is no web address. */
export function decodeElicitation(params: unknown): Elicitation | undefined {
  const form = decode(Form, params);
  if (form) return { mode: "form", ...commonMembers(form), schema: form.requestedSchema };
  const address = decode(Url, params);
  if (!address || !isWebAddress(address.url)) return undefined;
  return { mode: "url", ...commonMembers(address), url: address.url, elicitationId: address.elicitationId };
}

export function decodeCompletedElicitation(params: unknown): string | undefined {
  return decode(z.looseObject({ elicitationId: identifier }), params)?.elicitationId;
}

function commonMembers({
  message,
  toolCallId,
}: {
  readonly message: string;
  readonly toolCallId?: string | undefined;
}) {
  return { message, ...(toolCallId === undefined ? {} : { toolCallId }) };
}

/** Not `file:`, `javascript:` or a program's own scheme: a person who agrees would open it. */
function isWebAddress(text: string): boolean {
  const isReadable = text.length <= urlCharactersMax && !invisibleCharacter.test(text);
  return isReadable && /^https?:\/\//iu.test(text) && URL.canParse(text);
}

// Line breaks, controls, spaces and what is not seen: they change how an address reads, and opening it takes many of them
// out, so that it leads elsewhere. In an address they are written with `%`.
const invisibleCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
