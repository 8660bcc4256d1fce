// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments that several tools share.
import * as z from "zod";
import { timeoutMsDefault, timeoutMsMax } from "../limits.ts";

export const service = z
  .string()
  .min(1)
  .max(253)
  .describe('The name of a service on the Bus, such as "agent"; "noded" is the broker itself.');

export const topic = z.string().min(1).max(253).describe("The exact name of a topic; there are no wildcards.");

export const timeoutMs = z
  .int()
  .min(1)
  .max(timeoutMsMax)
  .default(timeoutMsDefault)
  .describe(`Milliseconds to wait, at most ${timeoutMsMax}.`);
