// SPDX-License-Identifier: MIT OR Apache-2.0
// A tool call put together from its entries: each says what changed of it.
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

  /** Takes in a later entry of this call, or a question about it: what the question itself says is said of the call. */
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

/** An announcement (title, kind and status together) after the call has ended is another call's, with the same id. */
function startsNewCall({ status }: ToolCallFields, { title, tool_kind: kind, status: next }: ToolCallFields): boolean {
  return isOver(status) && typeof title === "string" && typeof kind === "string" && typeof next === "string";
}

export function isOver(status: ToolCallFields["status"]): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
