// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import { requestOver, type CallOptions } from "./caller.ts";
import { systemClock, type Clock } from "./clock.ts";
import { callTimeoutMs, type Connection, type ReplyListener } from "./connection.ts";
import type { IncomingCommand } from "./command.ts";
import { publicationWriter, type PublishOptions } from "./publication.ts";
import type { Reply } from "./reply.ts";
import { Subscriptions, type DeliveryListener, type Subscribed } from "./subscriptions.ts";
import { Supervision, type BusClientState, type SupervisionOptions } from "./supervision.ts";
import type { FrameHeaders } from "./wire.ts";

export interface BusClientOptions extends SupervisionOptions {
  readonly clock?: Clock;
  /** Default 60 s. A call may override it. */
  readonly callTimeoutMs?: number;
}

/** Attempts of `connect` before it gives up. */
const connectAttemptsMax = 5;

/**
 * A client that reconnects: it dials, registers and subscribes, and repeats that whenever the connection drops. It has no
 * outbound queue: requests made while it is disconnected fail at once with NOT_CONNECTED.
 */
export class BusClient {
  readonly clock: Clock;
  readonly name: string | undefined;
  readonly #callTimeoutMs: number;
  readonly #subscriptions = new Subscriptions();
  readonly #supervision: Supervision;
  readonly #publication: ReturnType<typeof publicationWriter>;

  constructor(options: BusClientOptions) {
    this.name = options.name;
    this.#callTimeoutMs = options.callTimeoutMs ?? callTimeoutMs;
    this.clock = options.clock ?? systemClock;
    this.#supervision = new Supervision(options, this.#subscriptions, this.clock);
    this.#publication = publicationWriter(options.name);
  }

  get state(): BusClientState {
    return this.#supervision.state;
  }

  get generation(): number {
    return this.state.generation;
  }

  /** Bytes that wait in this process to be sent. Publishers should pause above a few MiB. */
  get bufferedBytes(): number {
    return this.#supervision.connection?.bufferedBytes ?? 0;
  }

  /** Calls the listener with each new state, in order. Returns a function that removes it. */
  onState(listener: (state: BusClientState) => void): () => void {
    return this.#supervision.onState(listener);
  }

  /** Replaces the listener of the options. Call it before `start` or `connect`, so that no command is missed. */
  onCommand(listener: (command: IncomingCommand) => void): void {
    this.#supervision.onCommand = listener;
  }

  /** Starts connecting in the background and retries forever, until `stop`. */
  start(): void {
    void this.#supervision.begin(Number.POSITIVE_INFINITY).catch(() => {});
  }

  /** Resolves when connected. After five failed attempts the state is fatal, and it rejects with the last BusError. */
  connect(): Promise<void> {
    return this.#supervision.begin(connectAttemptsMax);
  }

  /** Ends the wait between two attempts now. */
  retryNow(): void {
    this.#supervision.retryNow();
  }

  /**
   * Sends a request to a service. `args` becomes the JSON body. Resolves with the reply, whatever its `rc`. Rejects with BusError
   * NOT_CONNECTED, CONNECTION_LOST, TIMEOUT, OVERLOADED, FRAME_TOO_LARGE or UNSERIALISABLE.
   */
  async call(to: string, command: string, args?: object, options: CallOptions = {}): Promise<Reply> {
    const timed = { ...options, timeoutMs: options.timeoutMs ?? this.#callTimeoutMs };
    return requestOver(this.#connected(), this.#signed({ command, to }), args, timed);
  }

  /** Subscribes to a topic, now and on every later connection. Rejects with SUBSCRIPTION_REFUSED, or as `call`. */
  async subscribe(topic: string, listener: DeliveryListener): Promise<Subscribed> {
    return this.#subscriptions.add(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /** Removes the listener, or all listeners of the topic if none is given. */
  async unsubscribe(topic: string, listener?: DeliveryListener): Promise<void> {
    await this.#subscriptions.remove(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /**
   * Publishes without allocating a promise or timer. `done` is called once, later, with the broker's reply or a BusError
   * as of `call`. Keep at most 128 unanswered: a broker drops messages beyond 256 on one connection, including its replies.
   * Throws BusError UNSERIALISABLE for a topic or command that cannot be written. A large body is best given as UTF-8 with
   * a line feed at its end, which a broker in this process sends on as it is; it must not be written to afterwards.
   */
  publish(topic: string, body: string | Buffer, options?: PublishOptions, done?: ReplyListener): void {
    const publication = this.#publication(topic, body, options);
    const { connection } = this.#supervision;
    if (connection !== undefined) connection.publish(publication, done);
    else if (done) queueMicrotask(() => done(new BusError("NOT_CONNECTED"), undefined));
  }

  /** Publishes like `publish`, but returns a promise. */
  publishAndConfirm(topic: string, body: string | Buffer, options?: PublishOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.publish(topic, body, options, (error, reply) => (error ? reject(error) : resolve(reply!)));
    });
  }

  /** Holds writes back until `uncork`, so that many messages make one write. Messages of one tick are joined anyway. */
  cork(): void {
    this.#supervision.connection?.cork();
  }

  uncork(): void {
    this.#supervision.connection?.uncork();
  }

  /**
   * Deregisters, awaits `drain` (for the last answers; without a time limit), flushes and closes. Apart from `drain` it
   * takes at most a few seconds, whatever the broker does. Idempotent.
   */
  stop(drain?: () => Promise<void>): Promise<void> {
    return this.#supervision.stop(drain);
  }

  /**
   * For a program that is about to exit: deregisters and closes without waiting for the broker. Requests that were
   * answered are safe; unanswered ones are abandoned.
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
    return this.name === undefined ? headers : { ...headers, from: this.name };
  }
}
