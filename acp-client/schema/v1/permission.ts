// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import type { PermissionOption, ToolCallPatch } from "../../model.ts";
import { decode, identifier, optionalObject } from "../lenient.ts";
import { decodeToolCallUpdate } from "./tool-call.ts";

/** Another kind than the four of ACP is kept: it is never a yes by itself, and no reason to refuse the question. */
export const OfferedOption = z.looseObject({
  optionId: z.string(),
  name: z.string(),
  kind: z.string(),
  _meta: optionalObject,
});
export const RequestPermissionRequest = z.looseObject({
  sessionId: identifier,
  toolCall: z.unknown(),
  options: z.array(OfferedOption),
  _meta: optionalObject,
});

export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolCall: ToolCallPatch;
  readonly options: readonly PermissionOption[];
}

/** Undefined when a required member is missing or malformed: a question that is half understood is not asked. */
export function decodePermissionRequest(params: unknown): PermissionRequest | undefined {
  const request = decode(RequestPermissionRequest, params);
  const toolCall = request && decodeToolCallUpdate(request.toolCall);
  if (request === undefined || toolCall === undefined) return undefined;
  const options = request.options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
  return { sessionId: request.sessionId, toolCall, options };
}

/**
 * Why a question that was understood is not asked all the same; undefined where it is. An id is all that goes back: one
 * that stands for options of two kinds could make a yes of a person's no. And what nothing can be left out of is bounded.
 */
export function checkPermissionRequest(
  { toolCall, options }: PermissionRequest,
  charactersMax: number,
): string | undefined {
  const kinds = new Map<string, string>();
  for (const { optionId, kind } of options) {
    const other = kinds.get(optionId);
    if (other !== undefined && other !== kind) return "an option id stands for options of two kinds";
    kinds.set(optionId, kind);
  }
  const fixed = JSON.stringify([toolCall.toolCallId, toolCall.kind, options]);
  return fixed.length > charactersMax ? "its ids and options are too long" : undefined;
}
