// SPDX-License-Identifier: MIT OR Apache-2.0
import { toolKinds } from "../../acp-client/schema/v1/tool-kinds.ts";
import { omitUndefined } from "../../json/omit-undefined.ts";
import type { ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { metaMember, validToolContent } from "./blocks.ts";
import { type ToolCallMembers, type ToolContent, type ToolStatus, isOneOf, toolStatuses } from "./update.ts";
import { type Workspace, locationsInside } from "./workspace.ts";

export interface ToolCallView extends Workspace {
  /** How a terminal in a call's content is shown. */
  showTerminal(content: ToolContent): ToolContent;
}

/**
 * Renames members to ACP's and makes their values valid: an unknown kind is `other`, an unknown status is left out, and
 * so is null, which ACP reads as unchanged.
 */
export function toolCallMembers(fields: ToolCallFields, view: ToolCallView): ToolCallMembers {
  const { tool_call_id, title, name, tool_kind, status, content, locations, raw_input, raw_output } = fields;
  return omitUndefined({
    toolCallId: tool_call_id,
    title: title?.trim() ? title : undefined,
    name: name ?? undefined,
    kind: tool_kind ? (isOneOf(toolKinds, tool_kind) ? tool_kind : "other") : undefined,
    status: toolStatus(status),
    content: content ? contentOf(content, view) : undefined,
    locations: locations ? locationsInside(locations, view) : undefined,
    rawInput: raw_input ?? undefined,
    rawOutput: raw_output ?? undefined,
    ...metaMember(fields),
  });
}

/** ACP v1 has no word for a cancelled call. */
export function toolStatus(status: unknown): ToolStatus | undefined {
  if (status === "cancelled") return "failed";
  return isOneOf(toolStatuses, status) ? status : undefined;
}

/** Undefined if there was content and none of it is valid. */
function contentOf(items: readonly unknown[], view: ToolCallView): readonly ToolContent[] | undefined {
  const valid = items.flatMap((item) => {
    const content = validToolContent(item);
    return content === undefined ? [] : [view.showTerminal(content)];
  });
  return valid.length === 0 && items.length > 0 ? undefined : valid;
}
