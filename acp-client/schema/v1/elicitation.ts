// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes elicitation/create. An invalid request is refused, not shown. The fields of a form are checked where they are
// shown.
import * as z from "zod";
import { isRecord } from "../../../json/record.ts";
import type { Elicitation } from "../../model.ts";
import { decode, identifier, optionalIdentifier, wholeNumber } from "../lenient.ts";

/** Of a session, or of a request of ours outside of sessions, such as authenticate. */
const head = {
  sessionId: optionalIdentifier,
  requestId: z.union([z.string(), wholeNumber]).optional().catch(undefined),
  toolCallId: optionalIdentifier,
  message: z.string(),
};
const hasScope = (asked: { readonly sessionId?: unknown; readonly requestId?: unknown }): boolean =>
  asked.sessionId !== undefined || asked.requestId !== undefined;
// The values are not checked here, and the agent may choose any names.
const members = z.custom<Readonly<Record<string, unknown>>>(isRecord);
const requestedSchema = members.refine(
  ({ properties, required }) =>
    members.nullish().safeParse(properties).success && z.array(z.string()).nullish().safeParse(required).success,
);
const Form = z.looseObject({ ...head, mode: z.literal("form"), requestedSchema }).refine(hasScope);
const Url = z
  .looseObject({ ...head, mode: z.literal("url"), elicitationId: identifier, url: z.string() })
  .refine(hasScope);

/** Length in UTF-16 units. Nobody can check a longer URL before opening it. */
const urlCharactersMax = 8_192;

/** Returns undefined if a required member, a form's `properties` or `required`, or the URL is invalid. */
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

/** Accepts http and https only: a person who accepts opens the URL, so `file:` or `javascript:` would be dangerous. */
function isWebAddress(text: string): boolean {
  const isReadable = text.length <= urlCharactersMax && !invisibleCharacter.test(text);
  return isReadable && /^https?:\/\//iu.test(text) && URL.canParse(text);
}

// Line breaks, controls, spaces and invisible characters change how a URL reads, and browsers drop many of them, so
// that it leads elsewhere. A URL must encode them with `%`.
const invisibleCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
