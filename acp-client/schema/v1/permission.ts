// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import type { PermissionOption, ToolCallPatch } from "../../model.ts";
import { acpObject, decode, identifier } from "../lenient.ts";
import { decodeToolCallUpdate } from "./tool-call.ts";

/** A kind that ACP does not define is kept. It never counts as an allow. */
export const OfferedOption = acpObject({ optionId: z.string(), name: z.string(), kind: z.string() });
export const RequestPermissionRequest = acpObject({
  sessionId: identifier,
  toolCall: z.unknown(),
  options: z.array(OfferedOption),
});

export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolCall: ToolCallPatch;
  readonly options: readonly PermissionOption[];
}

/** Returns undefined if a required member is missing or malformed. */
export function decodePermissionRequest(params: unknown): PermissionRequest | undefined {
  const request = decode(RequestPermissionRequest, params);
  const toolCall = request && decodeToolCallUpdate(request.toolCall);
  if (request === undefined || toolCall === undefined) return undefined;
  const options = request.options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
  return { sessionId: request.sessionId, toolCall, options };
}

/**
 * Returns an error message if a valid request must be refused. The answer is only an option's id, so an id with two
 * kinds could turn a denial into an allow. The ids and options are bounded, since none of them may be truncated.
 */
export function checkPermissionRequest(
  { toolCall, options }: PermissionRequest,
  charactersMax: number,
): string | undefined {
  const kinds = new Map<string, string>();
  for (const { optionId, kind } of options) {
    const other = kinds.get(optionId);
    if (other !== undefined && other !== kind) return "two options of different kinds have the same id";
    kinds.set(optionId, kind);
  }
  const fixed = JSON.stringify([toolCall.toolCallId, toolCall.kind, options]);
  return fixed.length > charactersMax ? "its ids and options are too long" : undefined;
}
