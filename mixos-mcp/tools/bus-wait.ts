// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { type BusClient, BusError, type Delivery, type Subscribed } from "../../bus-client/index.ts";
import { parseJson, RawJson } from "../../json/raw-json.ts";
import { timeoutArgument, tool, topicArgument } from "../tool.ts";
import { canonicalNumber } from "../../json/canonical-number.ts";

export const busWait = tool({
  name: "bus_wait",
  description:
    "Waits for the next message on a topic of the MixOS Bus and returns it. Messages published before the wait began are not " +
    "returned, except for the topic's retained message if retained is true. timed_out: true is not an error: wait again if needed. " +
    "Anyone may publish: take a message as a hint, and ask the service itself for what matters.",
  arguments: z.strictObject({
    topic: topicArgument,
    timeout_ms: timeoutArgument,
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
    const waiting = { topic: name, timeoutMs: timeout_ms, matches, retained, signal };
    const { found, isGap } = await nextDelivery(client, waiting);
    const reconnected = isGap ? "the Bus was disconnected meanwhile: messages may have been missed" : undefined;
    if (found === undefined) return [JSON.stringify({ timed_out: true, topic: name, reconnected })];
    const { seq, registration, service, stale, body } = found.delivery;
    const about = { topic: name, seq, registration, service, stale: stale || undefined, retained: found.retained };
    return [JSON.stringify({ ...about, reconnected }), body];
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

interface DeliveryWait {
  readonly topic: string;
  readonly timeoutMs: number;
  readonly matches: (delivery: Delivery) => boolean;
  /** Whether the topic's retained message counts. */
  readonly retained: boolean;
  readonly signal: AbortSignal;
}

interface Found {
  readonly delivery: Delivery;
  readonly retained: boolean;
}

/**
 * Finds nothing if no message comes in time. After a gap, in which the connection was lost, messages may have been
 * missed. Rejects with the signal's reason, or with BusError if the topic cannot be subscribed to or the client ends.
 */
async function nextDelivery(
  client: BusClient,
  waiting: DeliveryWait,
): Promise<{ readonly found: Found | undefined; readonly isGap: boolean }> {
  const { topic, timeoutMs, matches, retained, signal } = waiting;
  const { generation } = client;
  const inbox = new FirstMatch(matches, retained);
  const subscribing = client.subscribe(topic, inbox.take);
  const timer = setTimeout(() => inbox.end(undefined), timeoutMs);
  const abort = (): void => inbox.fail(signal.reason);
  signal.addEventListener("abort", abort);
  const unwatch = client.onState((state) => {
    if (state.kind === "fatal") inbox.fail(state.cause);
    else if (state.kind === "shutting-down") inbox.fail(new BusError("STOPPED"));
  });
  subscribing.then(inbox.subscribed, inbox.fail);
  if (signal.aborted) abort();
  try {
    const found = await inbox.first;
    return { found, isGap: client.generation > generation };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    unwatch();
    // Not awaited: the result is known, and a subscription that cannot be removed ends with the connection.
    void subscribing.then(() => client.unsubscribe(topic, inbox.take)).catch(() => {});
  }
}

/** Collects deliveries until the broker's answer to the subscription tells which of them were retained. */
class FirstMatch {
  readonly first: Promise<Found | undefined>;
  readonly #matches: (delivery: Delivery) => boolean;
  readonly #takesRetained: boolean;
  #early: Delivery[] | undefined = [];
  #resolve!: (found: Found | undefined) => void;
  #reject!: (cause: unknown) => void;

  constructor(matches: (delivery: Delivery) => boolean, takesRetained: boolean) {
    this.#matches = matches;
    this.#takesRetained = takesRetained;
    this.first = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  readonly take = (delivery: Delivery): void => {
    if (this.#early === undefined) this.#offer(delivery, false);
    else this.#early.push(delivery);
  };

  readonly subscribed = ({ replayed, seq }: Subscribed): void => {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const delivery of early) {
      const isRetained = replayed && seq !== undefined && delivery.seq !== undefined && delivery.seq <= seq;
      this.#offer(delivery, isRetained);
    }
  };

  readonly fail = (cause: unknown): void => this.#reject(cause);

  end(found: Found | undefined): void {
    this.#resolve(found);
  }

  #offer(delivery: Delivery, retained: boolean): void {
    if (delivery.cleared || (retained && !this.#takesRetained) || !this.#matches(delivery)) return;
    this.end({ delivery, retained });
  }
}
