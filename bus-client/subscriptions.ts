// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import { deliveryOf } from "./delivery.ts";
import type { Delivery } from "./delivery.ts";
import { replyFailure } from "./reply.ts";
import type { ParsedFrame } from "./wire.ts";

export type DeliveryListener = (delivery: Delivery) => void;

/** What the broker answered: whether a message that it kept came first, and the topic's count by then. */
export interface Subscribed {
  readonly replayed: boolean;
  readonly seq: number | undefined;
}

interface Followed {
  readonly listeners: Set<DeliveryListener>;
  confirmed: boolean;
  /** The last listener goes; until the broker has answered nobody can join. */
  leaving?: Promise<void>;
}

/** Which topics are followed by whom; outlives the connections over which they are followed. */
export class Subscriptions {
  /** In the order in which they were made, which is the order in which they are made again. */
  readonly #topics = new Map<string, Followed>();

  deliver(frame: ParsedFrame): void {
    const entry = this.#topics.get(frame.headers["topic"]!);
    if (entry === undefined) return;
    const delivery = deliveryOf(frame);
    for (const listener of entry.listeners) listener(delivery);
  }

  /**
   * The listener hears already before the answer: a retained message comes first, but not to those who join others. A
   * topic is kept only if rc was 0.
   */
  async add(topic: string, listener: DeliveryListener, connection: Connection, timeoutMs: number): Promise<Subscribed> {
    for (let left = this.#leaving(topic); left !== undefined; left = this.#leaving(topic)) await left;
    const entry: Followed = this.#topics.get(topic) ?? { listeners: new Set(), confirmed: false };
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

  /** Without a listener: all of them. The topic is let go only when the broker has answered rc 0. */
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
    entry.leaving = asked.then(ignore, ignore);
    try {
      const reply = await asked;
      if (reply.rc !== 0) throw new BusError("SUBSCRIPTION_REFUSED", replyFailure(reply)?.message);
      this.#topics.delete(topic);
    } finally {
      delete entry.leaving;
    }
  }

  #leaving(topic: string): Promise<void> | undefined {
    return this.#topics.get(topic)?.leaving;
  }

  /** Follows every confirmed topic over a new connection; any refusal fails it. */
  async renew(connection: Connection, timeoutMs: number): Promise<void> {
    for (const [topic, { confirmed }] of this.#topics) {
      if (confirmed) await subscribe(connection, topic, timeoutMs);
    }
  }
}

async function subscribe(connection: Connection, topic: string, timeoutMs: number): Promise<Subscribed> {
  const reply = await connection.request({ command: "topic.subscribe", name: topic, to: "noded" }, "", timeoutMs);
  if (reply.rc === 0) return subscribedOf(reply.body);
  const message = replyFailure(reply)?.message ?? `rc ${reply.rc}`;
  throw new BusError("SUBSCRIPTION_REFUSED", `${topic}: ${message}`, { cause: reply });
}

/** What is not there is not known: an answer without a body is an answer too. */
function subscribedOf(body: string): Subscribed {
  try {
    const said = JSON.parse(body) as { replayed?: unknown; seq?: unknown } | null;
    return { replayed: said?.replayed === true, seq: typeof said?.seq === "number" ? said.seq : undefined };
  } catch {
    return { replayed: false, seq: undefined };
  }
}

function ignore(): void {}
