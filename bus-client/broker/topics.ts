// SPDX-License-Identifier: MIT OR Apache-2.0

import { serialiseParsed, type FrameHeaders } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";
import { OutboundMessage } from "./outbound.ts";
import type { Peer } from "./peer.ts";
import type { RetainedMessages } from "./retained-messages.ts";

interface Topic {
  seq: number;
  readonly subscribers: Set<Peer>;
  lastPublisher: Peer | undefined;
}

export interface Publication {
  readonly topic: string;
  /** The headers without those that a publisher may not set. */
  readonly headers: FrameHeaders;
  readonly body: string | Buffer;
  readonly retain: boolean;
  /** Undefined for the broker itself. */
  readonly publisher: Peer | undefined;
}

export interface PublishResult {
  readonly eligible: number;
  readonly delivered: number;
  readonly seq: number;
}

/** The subscribers and retained messages of all topics. Names match exactly, without wildcards. */
export class Topics {
  readonly retained: RetainedMessages;
  readonly #limits: BrokerLimits;
  readonly #send: (peer: Peer, message: OutboundMessage) => boolean;
  readonly #topics = new Map<string, Topic>();

  /** `send` returns whether the message was sent or queued, and counts dropped messages. */
  constructor(
    limits: BrokerLimits,
    retained: RetainedMessages,
    send: (peer: Peer, message: OutboundMessage) => boolean,
  ) {
    this.#limits = limits;
    this.retained = retained;
    this.#send = send;
  }

  /** Sends a retained message before the caller's answer. Returns undefined if there are too many topics or subscriptions. */
  subscribe(peer: Peer, name: string): { readonly replayed: boolean; readonly seq: number } | undefined {
    const topic = this.#open(name);
    if (topic === undefined) return undefined;
    if (topic.subscribers.has(peer)) return { replayed: false, seq: topic.seq };
    if (peer.topics.size >= this.#limits.subscriptionsMax) return undefined;
    topic.subscribers.add(peer);
    peer.topics.add(name);
    if (topic.subscribers.size === 1) this.#notify(topic, name, "topic.active");
    const retained = this.retained.get(name);
    if (retained === undefined) return { replayed: false, seq: topic.seq };
    const headers = retained.isStale ? { ...retained.headers, topic_stale: "true" } : retained.headers;
    this.#send(peer, new OutboundMessage(serialiseParsed(headers, retained.body)));
    return { replayed: true, seq: topic.seq };
  }

  unsubscribe(peer: Peer, name: string): void {
    const topic = this.#topics.get(name);
    peer.topics.delete(name);
    if (topic?.subscribers.delete(peer) && topic.subscribers.size === 0) this.#notify(topic, name, "topic.idle");
  }

  /** Returns undefined if there are too many topics. */
  publish({ topic: name, headers, body, retain, publisher }: Publication): PublishResult | undefined {
    const topic = this.#open(name);
    if (topic === undefined) return undefined;
    topic.seq++;
    topic.lastPublisher = publisher;
    headers["topic"] = name;
    headers["topic_seq"] = String(topic.seq);
    const { size: eligible } = topic.subscribers;
    if (retain) this.retained.set(name, { headers, body: body.toString(), publisher });
    const delivered = eligible === 0 ? 0 : this.#fanOut(topic, headers, body);
    return { eligible, delivered, seq: topic.seq };
  }

  /** Deletes the retained message and notifies subscribers if `notify` is true. Returns whether there was one. */
  clear(name: string, notify: boolean): boolean {
    const had = this.retained.delete(name);
    const topic = this.#topics.get(name);
    if (topic !== undefined && notify && topic.subscribers.size > 0) {
      topic.seq++;
      const headers = { broker_origin: "local", command: "ui.noop", topic: name, topic_op: "delete" };
      this.#fanOut(topic, { ...headers, topic_seq: String(topic.seq) }, "");
    }
    return had;
  }

  subscriberCount(name: string): number {
    return this.#topics.get(name)?.subscribers.size ?? 0;
  }

  list(prefix: string): { name: string; seq: number; subscribers: number; retained: boolean }[] {
    return [...this.#topics]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, { seq, subscribers }]) => ({
        name,
        seq,
        subscribers: subscribers.size,
        retained: this.retained.get(name) !== undefined,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Removes a closed connection from all topics. */
  leave(peer: Peer): void {
    for (const name of peer.topics) this.unsubscribe(peer, name);
    for (const topic of this.#topics.values()) {
      if (topic.lastPublisher === peer) topic.lastPublisher = undefined;
    }
    this.retained.publisherLeft(peer);
  }

  #open(name: string): Topic | undefined {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    if (this.#topics.size >= this.#limits.topicsMax && !this.#forgetOne()) return undefined;
    const topic: Topic = { seq: 0, subscribers: new Set(), lastPublisher: undefined };
    this.#topics.set(name, topic);
    return topic;
  }

  /** Deletes the oldest topic without subscribers and retained message. Its `seq` starts again at 1 if it returns. */
  #forgetOne(): boolean {
    for (const [name, { subscribers }] of this.#topics) {
      if (subscribers.size > 0 || this.retained.get(name) !== undefined) continue;
      this.#topics.delete(name);
      return true;
    }
    return false;
  }

  /** Sends one message, serialised once, to all subscribers. Returns how many it was sent to. */
  #fanOut(topic: Topic, headers: FrameHeaders, body: string | Buffer): number {
    const message =
      typeof body === "string"
        ? new OutboundMessage(serialiseParsed(headers, body))
        : new OutboundMessage(serialiseParsed(headers, ""), body);
    let delivered = 0;
    for (const subscriber of topic.subscribers) {
      if (this.#send(subscriber, message)) delivered++;
    }
    return delivered;
  }

  /** Tells the topic's last publisher about the first subscriber or the loss of the last one. It expects no answer. */
  #notify({ lastPublisher, subscribers }: Topic, name: string, command: "topic.active" | "topic.idle"): void {
    if (lastPublisher === undefined) return;
    const headers = { command, from: "noded", name, subscribers: String(subscribers.size) };
    this.#send(lastPublisher, new OutboundMessage(serialiseParsed(headers, "")));
  }
}
