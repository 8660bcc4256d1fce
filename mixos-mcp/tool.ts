// SPDX-License-Identifier: MIT OR Apache-2.0
// What a tool is.
import type * as z from "zod";
import type { Denied } from "./addresses.ts";
import type { Presence } from "./presence.ts";

export interface ToolContext {
  readonly presence: Presence;
  readonly denied: Denied;
  /** Aborted when the MCP client gives the call up. */
  readonly signal: AbortSignal;
}

export interface Tool<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** For a model that has never seen the Bus. */
  readonly description: string;
  readonly arguments: Schema;
  readonly readOnly: boolean;
  /** It may wait long for something to happen. */
  readonly waits: boolean;
  /** The texts of the result. Throws ToolError, BusError, or the signal's reason. */
  readonly run: (args: z.output<Schema>, context: ToolContext) => Promise<readonly string[]>;
}

export function tool<Schema extends z.ZodType>(definition: Tool<Schema>): Tool<Schema> {
  return definition;
}
