// SPDX-License-Identifier: MIT OR Apache-2.0
// Rebuilds a tool call from its entries, each of which carries what changed.
import type { PermissionEntry, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { applyGrowth } from "./growth.ts";

export class ToolCallFold {
  #fields: ToolCallFields;

  constructor(fields: ToolCallFields) {
    this.#fields = fields;
  }

  get fields(): ToolCallFields {
    return this.#fields;
  }

  /**
   * Applies a later entry of this call, or a permission request about it: the fields that the request itself carries
   * count for the call, except those in `said_before`.
   */
  apply(entry: ToolCallEntry | PermissionEntry): void {
    if (entry.kind === "tool_call") {
      const { tool_call_id } = entry;
      if (startsNewCall(this.#fields, entry)) this.#fields = { tool_call_id };
      this.#merge(definedFields(entry));
      for (const { path, text } of entry.grow ?? [])
        this.#fields = applyGrowth(this.#fields, path, text) as ToolCallFields;
      return;
    }
    const before = new Set(entry.said_before);
    this.#merge(definedFields(entry.tool_call ?? {}).filter(([name]) => !before.has(name)));
  }

  #merge(said: readonly (readonly [string, unknown])[]): void {
    this.#fields = { ...this.#fields, ...Object.fromEntries(said) };
  }
}

function definedFields(fields: Partial<ToolCallFields>): (readonly [string, unknown])[] {
  return foldedFields.flatMap((name) =>
    fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]],
  );
}

const foldedFields = [
  "title",
  "name",
  "tool_kind",
  "status",
  "content",
  "locations",
  "raw_input",
] as const satisfies readonly (keyof ToolCallFields)[];

/** A full announcement (title, kind and status) after the end of the call begins another call with the same id. */
function startsNewCall({ status }: ToolCallFields, { title, tool_kind: kind, status: next }: ToolCallFields): boolean {
  return isOver(status) && typeof title === "string" && typeof kind === "string" && typeof next === "string";
}

export function isOver(status: ToolCallFields["status"]): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
