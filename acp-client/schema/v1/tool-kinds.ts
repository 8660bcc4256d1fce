// SPDX-License-Identifier: MIT OR Apache-2.0

/** The kinds of tools that ACP v1 has. In a file of its own, so that it loads without the schemas. */
export const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type ToolKind = (typeof toolKinds)[number];
