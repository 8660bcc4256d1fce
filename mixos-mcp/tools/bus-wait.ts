// SPDX-License-Identifier: MIT OR Apache-2.0
// Waits until something is published.
import * as z from "zod";
import type { Delivery } from "../../bus-client/index.ts";
import { parseJson, RawJson } from "../../json/raw-json.ts";
import { nextDelivery } from "../next-delivery.ts";
import { tool } from "../tool.ts";
import { timeoutMs, topic } from "./arguments.ts";
import { canonicalNumber } from "../../json/canonical-number.ts";

export const busWait = tool({
  name: "bus_wait",
  description:
    "Waits for the next message on a topic of the MixOS Bus and returns it. What was published before the wait began is not " +
    "seen, but for the last message that the broker keeps, if retained is true. timed_out: true is no failure: wait again if need be. " +
    "Anyone may publish: take a message as a hint, and ask the service itself for what matters.",
  arguments: z.strictObject({
    topic,
    timeout_ms: timeoutMs,
    match: z
      .looseObject({})
      .optional()
      .describe("Passes over messages whose JSON body does not have these members with these values."),
    retained: z.boolean().default(false).describe("Whether a message that the broker has kept counts too."),
  }),
  readOnly: true,
  waits: true,
  async run({ topic: name, timeout_ms, match, retained }, { presence, signal }) {
    const client = await presence.client(signal);
    const fits = ({ body }: Delivery): boolean => match === undefined || jsonMatch(parsed(body), match);
    const next = await nextDelivery(client, { topic: name, timeoutMs: timeout_ms, fits, retained, signal });
    const away = next.reconnected ? { reconnected: "the Bus was away meanwhile: messages may have been missed" } : {};
    if (next.delivery === undefined) return [JSON.stringify({ timed_out: true, topic: name, ...away })];
    const { seq, registration, service, stale, body } = next.delivery;
    const about = { topic: name, seq, registration, service, ...(stale ? { stale } : {}), retained: next.retained };
    return [JSON.stringify({ ...about, ...away }), body];
  },
});

/** Undefined, which nothing matches, where it is no JSON. */
function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/**
 * Whether all that `wanted` has is in `value` too: members of objects at any depth; anything else must be equal. `value`
 * may be as deep as it likes: it is followed no further than `wanted` goes.
 */
export function jsonMatch(value: unknown, wanted: unknown): boolean {
  if (isNumber(value) && isNumber(wanted)) return canonicalNumber(value) === canonicalNumber(wanted);
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && (value as unknown[]).length !== wanted.length) return false;
  return Object.entries(wanted).every(
    ([key, member]) => Object.hasOwn(value, key) && jsonMatch((value as Record<string, unknown>)[key], member),
  );
}

function isNumber(value: unknown): value is number | RawJson {
  return typeof value === "number" || value instanceof RawJson;
}
