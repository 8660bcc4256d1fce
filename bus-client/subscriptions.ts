// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import { jsonObjectIn } from "./json-object.ts";
import { replyFailure } from "./reply.ts";
import type { Frame, FrameHeaders, ParsedFrame } from "./wire.ts";

/** One message of a topic. The broker sets `topic`, `seq`, `registration`, `service`, `stale` and `cleared`; all else is unverified. */
export interface Delivery {
  readonly topic: string;
  readonly command: string;
  /** Counts the topic's messages at the broker. A gap means that deliveries were dropped. */
  readonly seq: number | undefined;
  readonly body: string;
  readonly headers: FrameHeaders;
  /** The publisher's incarnation as stamped by the broker. Undefined if it has no name, or if the delivery is forged. */
  readonly registration: string | undefined;
  /** The owner of a reserved topic, as stamped by the broker. */
  readonly service: string | undefined;
  /** True for a retained message whose publisher has disconnected. */
  readonly stale: boolean;
  /** True if the retained message was cleared. The body is empty then. */
  readonly cleared: boolean;
}

export type DeliveryListener = (delivery: Delivery) => void;

/** The broker's answer: whether it sent a retained message first, and the topic's sequence number at that time. */
export interface Subscribed {
  readonly replayed: boolean;
  readonly seq: number | undefined;
}

interface TopicSubscription {
  readonly listeners: Set<DeliveryListener>;
  confirmed: boolean;
  /** Set while an unsubscribe request is unanswered. New listeners wait for it. */
  unsubscribing?: Promise<void>;
}

/** The listeners of each topic. Outlives connections, so that topics can be subscribed to again. */
export class Subscriptions {
  /** Ordered by first subscription. Renewed in the same order. */
  readonly #topics = new Map<string, TopicSubscription>();

  deliver(frame: ParsedFrame): void {
    const entry = this.#topics.get(frame.headers["topic"]!);
    if (entry === undefined) return;
    const delivery = deliveryOf(frame);
    for (const listener of entry.listeners) listener(delivery);
  }

  /**
   * Adds the listener before the broker answers, since a retained message arrives before the answer. A listener that joins
   * an existing subscription gets no retained message. Keeps the topic only if the broker answers rc 0.
   */
  async add(topic: string, listener: DeliveryListener, connection: Connection, timeoutMs: number): Promise<Subscribed> {
    for (let left = this.#leaving(topic); left !== undefined; left = this.#leaving(topic)) await left;
    const entry: TopicSubscription = this.#topics.get(topic) ?? { listeners: new Set(), confirmed: false };
    this.#topics.set(topic, entry);
    entry.listeners.add(listener);
    if (entry.confirmed) return { replayed: false, seq: undefined };
    try {
      const subscribed = await subscribe(connection, topic, timeoutMs);
      entry.confirmed = true;
      return subscribed;
    } catch (error) {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0 && this.#topics.get(topic) === entry) this.#topics.delete(topic);
      throw error;
    }
  }

  /** Removes the listener, or all if none is given. Removes the topic only if the broker answers rc 0. */
  async remove(
    topic: string,
    listener: DeliveryListener | undefined,
    connection: Connection,
    timeoutMs: number,
  ): Promise<void> {
    const entry = this.#topics.get(topic);
    if (entry === undefined) return;
    if (listener !== undefined && !(entry.listeners.has(listener) && entry.listeners.size === 1)) {
      entry.listeners.delete(listener);
      return;
    }
    const asked = connection.request({ command: "topic.unsubscribe", name: topic, to: "noded" }, "", timeoutMs);
    entry.unsubscribing = asked.then(ignore, ignore);
    try {
      const reply = await asked;
      if (reply.rc !== 0) throw new BusError("SUBSCRIPTION_REFUSED", replyFailure(reply)?.message);
      this.#topics.delete(topic);
    } finally {
      delete entry.unsubscribing;
    }
  }

  #leaving(topic: string): Promise<void> | undefined {
    return this.#topics.get(topic)?.unsubscribing;
  }

  /** Subscribes to every confirmed topic on a new connection. Throws on any refusal. */
  async renew(connection: Connection, timeoutMs: number): Promise<void> {
    for (const [topic, { confirmed }] of this.#topics) {
      if (confirmed) await subscribe(connection, topic, timeoutMs);
    }
  }
}

async function subscribe(connection: Connection, topic: string, timeoutMs: number): Promise<Subscribed> {
  const reply = await connection.request({ command: "topic.subscribe", name: topic, to: "noded" }, "", timeoutMs);
  if (reply.rc !== 0) {
    const message = replyFailure(reply)?.message ?? `rc ${reply.rc}`;
    throw new BusError("SUBSCRIPTION_REFUSED", `${topic}: ${message}`, { cause: reply });
  }
  // Accepts an answer with missing fields or without a body.
  const { replayed, seq } = jsonObjectIn(reply.body);
  return { replayed: replayed === true, seq: typeof seq === "number" ? seq : undefined };
}

function ignore(): void {}

export function deliveryOf({ headers, body }: Frame): Delivery {
  const seq = Number(headers["topic_seq"] ?? Number.NaN);
  return {
    topic: headers["topic"] ?? "",
    command: headers["command"] ?? "",
    seq: Number.isSafeInteger(seq) ? seq : undefined,
    body,
    headers,
    registration: headers["broker_registration"],
    service: headers["broker_service"],
    stale: headers["topic_stale"] === "true",
    cleared: headers["topic_op"] === "delete",
  };
}
