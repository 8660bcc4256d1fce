// SPDX-License-Identifier: MIT OR Apache-2.0

import { backoffMs } from "./backoff.ts";
import { BusError, asBusError } from "./bus-error.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { incomingCommand } from "./command.ts";
import type { IncomingCommand } from "./command.ts";
import { Connection, callTimeoutMs } from "./connection.ts";
import type { ReplyListener } from "./connection.ts";
import { dial } from "./dial.ts";
import { publicationWriter } from "./publication.ts";
import type { PublishOptions } from "./publication.ts";
import { register } from "./registration.ts";
import type { Provenance } from "./registration.ts";
import type { Reply } from "./reply.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { DeliveryListener } from "./subscriptions.ts";
import type { Transport } from "./transport.ts";
import type { FrameHeaders } from "./wire.ts";

/** `generation` counts the connections that came up; it changes with each, so that what belongs to an older one is known. */
export type BusClientState =
  | { readonly kind: "idle"; readonly generation: 0 }
  | { readonly kind: "connecting"; readonly generation: number; readonly attempt: number }
  | { readonly kind: "connected"; readonly generation: number }
  | {
      readonly kind: "disconnected";
      readonly generation: number;
      readonly attempt: number;
      readonly retryInMs: number;
      readonly cause: BusError;
    }
  | { readonly kind: "shutting-down"; readonly generation: number }
  | { readonly kind: "fatal"; readonly generation: number; readonly cause: BusError };

export interface BusClientOptions {
  /** Where the broker is, or a function that says so anew at each attempt, or that brings a transport itself. */
  readonly url: string | (() => string | Transport | Promise<string | Transport>);
  /** The name to hold. Without one the client may still call, subscribe and publish; nobody can call it. */
  readonly name?: string;
  readonly provenance?: Provenance;
  /** Called in the order of arrival, from the first frame of a connection on. */
  readonly onCommand?: (command: IncomingCommand) => void;
  /** What a refused name means: try again, since the old holder may still be closing (default), or the end. */
  readonly nameTaken?: "retry" | "fatal";
  /** 0 up to, without, 1; for the waits between attempts. */
  readonly random?: () => number;
  readonly clock?: Clock;
  /** Default 60 s; a call may ask for its own. */
  readonly callTimeoutMs?: number;
  readonly dialTimeoutMs?: number;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly headers?: FrameHeaders;
  /** Sent as it is, in the place of the arguments. */
  readonly body?: string;
}

/** Attempts of `connect` before it gives up. */
export const connectAttemptsMax = 5;

/** How long registering and subscribing again may take for each answer. */
export const setUpTimeoutMs = 10_000;

/** Bound of each step of `stop`. */
export const stopStepTimeoutMs = 5_000;

/**
 * A client that is there for as long as it is wanted: it dials, registers, subscribes, and does so again whenever the
 * connection drops. There is no outbound queue: what is asked for while it is down fails at once with NOT_CONNECTED.
 */
export class BusClient {
  readonly #options: BusClientOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #subscriptions = new Subscriptions();
  readonly #publication: ReturnType<typeof publicationWriter>;
  readonly #stateListeners = new Set<(state: BusClientState) => void>();
  #state: BusClientState = { kind: "idle", generation: 0 };
  /** The connection that is up, or coming up. */
  #connection: Connection | undefined;
  #connectionClosed: Promise<BusError> | undefined;
  #wakeUp: (() => void) | undefined;
  #supervised: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(options: BusClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#publication = publicationWriter(options.name);
  }

  get state(): BusClientState {
    return this.#state;
  }

  get generation(): number {
    return this.#state.generation;
  }

  get name(): string | undefined {
    return this.#options.name;
  }

  /** What waits in this process to be sent, in bytes: over a few MiB it is time to publish no more. */
  get bufferedBytes(): number {
    return this.#connection?.bufferedBytes ?? 0;
  }

  /** Tells of each new state, in order; what comes back ends it. */
  onState(listener: (state: BusClientState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Returns at once and tries for ever, until `stop`. */
  start(): void {
    void this.#begin(Number.POSITIVE_INFINITY).catch(() => {});
  }

  /** Resolves when the connection is up. After five failed attempts the state is fatal, and the last BusError is thrown. */
  connect(): Promise<void> {
    return this.#begin(connectAttemptsMax);
  }

  /**
   * Asks a service. `args` becomes the JSON body. Resolves with the reply, whatever its `rc`. Rejects with BusError
   * NOT_CONNECTED, CONNECTION_LOST, TIMEOUT, OVERLOADED, FRAME_TOO_LARGE or UNSERIALISABLE.
   */
  async call(to: string, command: string, args?: object, options: CallOptions = {}): Promise<Reply> {
    const headers = { ...options.headers, command, to };
    const body = options.body ?? (args === undefined ? "" : JSON.stringify(args));
    const timeoutMs = options.timeoutMs ?? this.#callTimeoutMs;
    return this.#connected().request(this.#signed(headers), body, timeoutMs);
  }

  /** Follows a topic, over every later connection too. Rejects with BusError SUBSCRIPTION_REFUSED, or as `call`. */
  async subscribe(topic: string, listener: DeliveryListener): Promise<void> {
    await this.#subscriptions.add(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /** Without a listener: for all who follow it here. */
  async unsubscribe(topic: string, listener?: DeliveryListener): Promise<void> {
    await this.#subscriptions.remove(topic, listener, this.#connected(), this.#callTimeoutMs);
  }

  /**
   * Publishes, cheaply: no promise, no timer of its own. `done` is called once, later, with the broker's reply or the
   * BusError as of `call`. Keep at most 128 unanswered: a broker drops what is beyond 256 on one connection, its answers included.
   * Throws BusError UNSERIALISABLE for a topic or command that cannot be written.
   */
  publish(topic: string, body: string, options?: PublishOptions, done?: ReplyListener): void {
    const { before, after } = this.#publication(topic, body, options);
    if (this.#state.kind === "connected") this.#connection!.publish(before, after, done);
    else if (done) queueMicrotask(() => done(new BusError("NOT_CONNECTED"), undefined));
  }

  /** As `publish`, with a promise. */
  publishAndConfirm(topic: string, body: string, options?: PublishOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.publish(topic, body, options, (error, reply) => (error ? reject(error) : resolve(reply!)));
    });
  }

  /** Joins many messages into one write; those of one tick are joined anyway. */
  cork(): void {
    this.#connection?.cork();
  }

  uncork(): void {
    this.#connection?.uncork();
  }

  /**
   * Gives the name back, lets `drain` give the last answers (its time is its own), sends what waits, closes. But for
   * `drain` it ends within some seconds whatever the broker does. May be repeated.
   */
  stop(drain?: () => Promise<void>): Promise<void> {
    this.#stopped ??= this.#shutDown(drain);
    return this.#stopped;
  }

  get #callTimeoutMs(): number {
    return this.#options.callTimeoutMs ?? callTimeoutMs;
  }

  #connected(): Connection {
    if (this.#state.kind !== "connected") throw new BusError("NOT_CONNECTED");
    return this.#connection!;
  }

  #signed(headers: FrameHeaders): FrameHeaders {
    return this.#options.name === undefined ? headers : { ...headers, from: this.#options.name };
  }

  #begin(attemptsMax: number): Promise<void> {
    if (this.#state.kind !== "idle") return Promise.reject(new BusError("USAGE", "a client starts once"));
    return new Promise((resolve, reject) => {
      this.#supervised = this.#supervise(attemptsMax, resolve);
      void this.#supervised.then(() => reject(this.#endCause()));
    });
  }

  #endCause(): BusError {
    return this.#state.kind === "fatal" ? this.#state.cause : new BusError("STOPPED");
  }

  /** Runs until the client is stopped or its state is fatal. */
  async #supervise(attemptsMax: number, firstSuccess: () => void): Promise<void> {
    let failures = 0;
    while (!this.#isStopping) {
      this.#become({ kind: "connecting", generation: this.generation, attempt: failures + 1 });
      const failure = await this.#attempt().then(
        () => undefined,
        (error: unknown) => asBusError(error, "DIAL_FAILED"),
      );
      if (this.#isStopping) return;
      if (failure === undefined) {
        this.#become({ kind: "connected", generation: this.generation + 1 });
        failures = 0;
        attemptsMax = Number.POSITIVE_INFINITY;
        firstSuccess();
        const cause = await this.#connectionClosed!;
        if (!this.#isStopping) await this.#pause(0, cause);
        continue;
      }
      failures++;
      if (failures >= attemptsMax || this.#isFinal(failure)) {
        this.#become({ kind: "fatal", generation: this.generation, cause: failure });
        return;
      }
      await this.#pause(failures, failure);
    }
  }

  get #isStopping(): boolean {
    return this.#stopped !== undefined;
  }

  #isFinal(failure: BusError): boolean {
    if (failure.code === "URL_INVALID" || failure.code === "PATH_TOO_LONG")
      return typeof this.#options.url === "string";
    return (
      this.#options.nameTaken === "fatal" && (failure.code === "NAME_TAKEN" || failure.code === "REGISTRATION_REFUSED")
    );
  }

  async #pause(failures: number, cause: BusError): Promise<void> {
    const retryInMs = backoffMs(Math.max(failures - 1, 0), this.#random);
    this.#become({ kind: "disconnected", generation: this.generation, attempt: failures, retryInMs, cause });
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(retryInMs, resolve);
      this.#wakeUp = () => {
        cancel();
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  /** Dials, registers, subscribes again. Any failure in these ends the whole attempt. */
  async #attempt(): Promise<void> {
    const connection = this.#adopt(await this.#openTransport());
    try {
      if (this.#isStopping) throw new BusError("STOPPED");
      const { name, provenance } = this.#options;
      if (name !== undefined) await register(connection, name, provenance, setUpTimeoutMs);
      await this.#subscriptions.renew(connection, setUpTimeoutMs);
      if (!connection.isOpen) throw new BusError("CONNECTION_LOST");
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async #openTransport(): Promise<Transport> {
    const { url, dialTimeoutMs } = this.#options;
    const found = typeof url === "string" ? url : await url();
    if (typeof found !== "string") return found;
    return dial(found, dialTimeoutMs === undefined ? {} : { timeoutMs: dialTimeoutMs });
  }

  #adopt(transport: Transport): Connection {
    const generation = this.generation + 1;
    let tellClosed!: (cause: BusError) => void;
    this.#connectionClosed = new Promise((resolve) => (tellClosed = resolve));
    const connection: Connection = new Connection(transport, this.#clock, {
      command: (frame) => this.#options.onCommand?.(incomingCommand(frame, connection, generation, this.#options.name)),
      delivery: (frame) => this.#subscriptions.deliver(frame),
      closed: tellClosed,
    });
    this.#connection = connection;
    return connection;
  }

  async #shutDown(drain: (() => Promise<void>) | undefined): Promise<void> {
    const before = this.#state;
    if (before.kind === "fatal") return drain?.();
    this.#become({ kind: "shutting-down", generation: before.generation });
    this.#wakeUp?.();
    const connection = this.#connection;
    if (before.kind === "connected" && this.#options.name !== undefined && connection!.isOpen) {
      const farewell = { command: "noded.deregister", from: this.#options.name, to: "noded" };
      await connection!.request(farewell, "", stopStepTimeoutMs).catch(() => {});
    }
    await drain?.();
    connection?.close();
    await this.#within(stopStepTimeoutMs, this.#connectionClosed);
    connection?.destroy();
    // An attempt under way notices, and lets go of what it opened.
    await this.#within(stopStepTimeoutMs, this.#supervised);
  }

  async #within(timeoutMs: number, end: Promise<unknown> | undefined): Promise<void> {
    let cancel!: () => void;
    const timeIsUp = new Promise<void>((resolve) => (cancel = this.#clock.after(timeoutMs, resolve)));
    await Promise.race([end, timeIsUp]);
    cancel();
  }

  #become(state: BusClientState): void {
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }
}
