// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import type { PermissionOption, ToolCallPatch } from "../../model.ts";
import { decode, optionalObject } from "../lenient.ts";
import { decodeToolCallUpdate } from "./tool-call.ts";

/** Another kind than the four of ACP is kept: it is never a yes by itself, and no reason to refuse the question. */
export const OfferedOption = z.looseObject({
  optionId: z.string(),
  name: z.string(),
  kind: z.string(),
  _meta: optionalObject,
});
export const RequestPermissionRequest = z.looseObject({
  sessionId: z.string(),
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
