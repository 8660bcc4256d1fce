// SPDX-License-Identifier: MIT OR Apache-2.0
import { toolKinds } from "../../acp-client/schema/v1/tool-kinds.ts";
import { expect, test } from "vitest";
import { officialSchema } from "../../acp-client/testing/official-schema.ts";
import { blockTypes, permissionKinds, planPriorities, planStatuses, stopReasons, toolStatuses } from "./update.ts";

/** The values of a closed list of the schema, or the types of a union. */
function valuesOf(type: string): string[] {
  const { oneOf } = officialSchema.$defs[type] as {
    readonly oneOf: readonly {
      readonly const?: string;
      readonly properties?: { readonly type: { readonly const: string } };
    }[];
  };
  return oneOf.map((one) => one.const ?? one.properties?.type.const ?? "");
}

test.each([
  ["ToolKind", toolKinds],
  ["ToolCallStatus", toolStatuses],
  ["PlanEntryPriority", planPriorities],
  ["PlanEntryStatus", planStatuses],
  ["ContentBlock", blockTypes],
  ["StopReason", stopReasons],
  ["PermissionOptionKind", permissionKinds],
] as const)("the list of %s is the schema's", (type, list) => {
  expect([...list].sort()).toEqual(valuesOf(type).sort());
});
