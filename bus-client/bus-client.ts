// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import { requestOver } from "./caller.ts";
import type { CallOptions } from "./caller.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { callTimeoutMs } from "./connection.ts";
import type { Connection, ReplyListener } from "./connection.ts";
import type { Pieces } from "./pieces.ts";
import { publicationWriter } from "./publication.ts";
import type { PublishOptions } from "./publication.ts";
import type { Reply } from "./reply.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { DeliveryListener, Subscribed } from "./subscriptions.ts";
import { Supervision } from "./supervision.ts";
import type { BusClientState, SupervisionOptions } from "./supervision.ts";
import type { FrameHeaders } from "./wire.ts";

export interface BusClientOptions extends SupervisionOptions {
  readonly clock?: Clock;
  /** Default 60 s; a call may ask for its own. */
  readonly callTimeoutMs?: number;
}

/** Attempts of `connect` before it gives up. */
const connectAttemptsMax = 5;

/**
 * A client that is there for as long as it is wanted: it dials, registers, subscribes, and does so again whenever the
 * connection drops. There is no outbound queue: what is asked for while it is down fails at once with NOT_CONNECTED.
 */
export class BusClient {
  readonly #name: string | undefined;
  readonly #callTimeoutMs: number;
  readonly #subscriptions = new Subscriptions();
  readonly #supervision: Supervision;
  readonly #publication: ReturnType<typeof publicationWriter>;

  constructor(options: BusClientOptions) {
    this.#name = options.name;
    this.#callTimeoutMs = options.callTimeoutMs ?? callTimeoutMs;
    this.#supervision = new Supervision(options, this.#subscriptions, options.clock ?? systemClock);
    this.#publication = publicationWriter(options.name);
  }

  get state(): BusClientState {
    return this.#supervision.state;
  }

  get generation(): number {
    return this.state.generation;
  }

  get name(): string | undefined {
    return this.#name;
  }

  /** What waits in this process to be sent, in bytes: over a few MiB it is time to publish no more. */
  get bufferedBytes(): number {
    return this.#supervision.connection?.bufferedBytes ?? 0;
  }

  /** Tells of each new state, in order; what comes back ends it. */
  onState(listener: (state: BusClientState) => void): () => void {
    return this.#supervision.onState(listener);
  }

  /** Returns at once and tries for ever, until `stop`. */
  start(): void {
    void this.#supervision.begin(Number.POSITIVE_INFINITY).catch(() => {});
  }

  /** Resolves when the connection is up. After five failed attempts the state is fatal, and the last BusError is thrown. */
  connect(): Promise<void> {
    return this.#supervision.begin(connectAttemptsMax);
  }

  /** Somebody waits for it: a pause between two attempts ends now. */
  retryNow(): void {
    this.#supervision.retryNow();
  }

  /**
   * Asks a service. `args` becomes the JSON body. Resolves with the reply, whatever its `rc`. Rejects with BusError
   * NOT_CONNECTED, CONNECTION_LOST, TIMEOUT, OVERLOADED, FRAME_TOO_LARGE or UNSERIALISABLE.
   */
  async call(to: string, command: string, args?: object, options: CallOptions = {}): Promise<Reply> {
    const timed = { ...options, timeoutMs: options.timeoutMs ?? this.#callTimeoutMs };
    return requestOver(this.#connected(), this.#signed({ command, to }), args, timed);
  }

  /** Follows a topic, over every later connection too. Rejects with BusError SUBSCRIPTION_REFUSED, or as `call`. */
  async subscribe(topic: string, listener: DeliveryListener): Promise<Subscribed> {
    return this.#subscriptions.add(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /** Without a listener: for all who follow it here. */
  async unsubscribe(topic: string, listener?: DeliveryListener): Promise<void> {
    await this.#subscriptions.remove(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /**
   * Publishes, cheaply: no promise, no timer of its own. `done` is called once, later, with the broker's reply or the
   * BusError as of `call`. Keep at most 128 unanswered: a broker drops what is beyond 256 on one connection, its answers included.
   * Throws BusError UNSERIALISABLE for a topic or command that cannot be written. A large body may come in pieces, which
   * nobody joins on the way to a broker of this process.
   */
  publish(topic: string, body: string | Pieces, options?: PublishOptions, done?: ReplyListener): void {
    const { before, after, rest } = this.#publication(topic, body, options);
    const { connection } = this.#supervision;
    if (connection !== undefined) connection.publish(before, after, done, rest);
    else if (done) queueMicrotask(() => done(new BusError("NOT_CONNECTED"), undefined));
  }

  /** As `publish`, with a promise. */
  publishAndConfirm(topic: string, body: string | Pieces, options?: PublishOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.publish(topic, body, options, (error, reply) => (error ? reject(error) : resolve(reply!)));
    });
  }

  /** Joins many messages into one write; those of one tick are joined anyway. */
  cork(): void {
    this.#supervision.connection?.cork();
  }

  uncork(): void {
    this.#supervision.connection?.uncork();
  }

  /**
   * Gives the name back, lets `drain` give the last answers (its time is its own), sends what waits, closes. But for
   * `drain` it ends within some seconds whatever the broker does. May be repeated.
   */
  stop(drain?: () => Promise<void>): Promise<void> {
    return this.#supervision.stop(drain);
  }

  /**
   * For a program that is about to end: gives the name back and closes, and resolves as soon as that is sent. What was
   * answered before is safe; what was not is given up.
   */
  leave(): Promise<void> {
    return this.#supervision.leave();
  }

  #connected(): Connection {
    const { connection } = this.#supervision;
    if (connection === undefined) throw new BusError("NOT_CONNECTED");
    return connection;
  }

  #signed(headers: FrameHeaders): FrameHeaders {
    return this.#name === undefined ? headers : { ...headers, from: this.#name };
  }
}
