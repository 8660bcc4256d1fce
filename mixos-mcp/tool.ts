// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface of a tool, and arguments that several tools share.
import * as z from "zod";
import type { DenyList } from "./addresses.ts";
import type { BusConnection } from "./bus-connection.ts";
import { timeoutMsDefault, timeoutMsMax } from "./limits.ts";

export interface ToolContext {
  readonly connection: BusConnection;
  readonly denied: DenyList;
  /** Aborted when the MCP client cancels the call. */
  readonly signal: AbortSignal;
}

export interface Tool<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Shown to models, which do not know the Bus. */
  readonly description: string;
  readonly arguments: Schema;
  readonly readOnly: boolean;
  /** Whether calls wait for an event, and so count as waits. */
  readonly waits?: boolean;
  /** Returns the texts of the result. Throws ToolError, BusError, or the signal's reason. */
  readonly run: (args: z.output<Schema>, context: ToolContext) => Promise<readonly string[]>;
}

export function tool<Schema extends z.ZodType>(definition: Tool<Schema>): Tool<Schema> {
  return definition;
}

export const topicArgument = z.string().min(1).max(253).describe("The exact name of a topic; there are no wildcards.");

export const timeoutArgument = z
  .int()
  .min(1)
  .max(timeoutMsMax)
  .default(timeoutMsDefault)
  .describe(`Milliseconds to wait, at most ${timeoutMsMax}.`);
