// SPDX-License-Identifier: MIT OR Apache-2.0
// Schemas of the replies of the service `notify`, as far as agentd uses them.
import * as z from "zod";
import { notifyStates } from "../vocabulary/index.ts";

export const askedReply = z.looseObject({ ask: z.string(), state: z.enum(notifyStates) });

export const knownAsk = z.looseObject({
  ask: z.string(),
  ref: z.string(),
  state: z.enum(notifyStates),
  answer: z.looseObject({ option: z.string(), by: z.string().nullable() }).optional(),
});
export type KnownAsk = z.output<typeof knownAsk>;

export const listReply = z.looseObject({ asks: z.array(knownAsk), more: z.boolean() });

/** The body of the topic `answered`, which anybody can publish. */
export const hint = z.looseObject({ ask: z.string() });
