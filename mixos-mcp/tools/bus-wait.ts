// SPDX-License-Identifier: MIT OR Apache-2.0
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
    "Waits for the next message on a topic of the MixOS Bus and returns it. Messages published before the wait began are not " +
    "returned, except for the topic's retained message if retained is true. timed_out: true is not an error: wait again if needed. " +
    "Anyone may publish: take a message as a hint, and ask the service itself for what matters.",
  arguments: z.strictObject({
    topic,
    timeout_ms: timeoutMs,
    match: z
      .looseObject({})
      .optional()
      .describe("Skips messages whose JSON body does not have these members with these values."),
    retained: z.boolean().default(false).describe("Whether the message that the broker has retained counts too."),
  }),
  readOnly: true,
  waits: true,
  async run({ topic: name, timeout_ms, match, retained }, { connection, signal }) {
    const client = await connection.connectedClient(signal);
    const matches = ({ body }: Delivery): boolean => match === undefined || jsonMatch(parseBody(body), match);
    const next = await nextDelivery(client, { topic: name, timeoutMs: timeout_ms, matches, retained, signal });
    const reconnected = next.reconnected
      ? { reconnected: "the Bus was disconnected meanwhile: messages may have been missed" }
      : {};
    if (next.delivery === undefined) return [JSON.stringify({ timed_out: true, topic: name, ...reconnected })];
    const { seq, registration, service, stale, body } = next.delivery;
    const about = { topic: name, seq, registration, service, ...(stale ? { stale } : {}), retained: next.retained };
    return [JSON.stringify({ ...about, ...reconnected }), body];
  },
});

/** Returns undefined, which nothing matches, if the text is not JSON. */
function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/**
 * Whether `value` contains `wanted`: objects may have more members, at any depth, and everything else must be equal.
 * Recurses only as deep as `wanted`.
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
