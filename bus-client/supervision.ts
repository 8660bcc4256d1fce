// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError, asBusError } from "./bus-error.ts";
import { endOfTick } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { incomingCommand, type IncomingCommand } from "./command.ts";
import { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import { register, type Provenance } from "./registration.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Transport } from "./transport.ts";

/** `generation` counts successful connections, so that data of an earlier connection can be recognised. */
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

export interface SupervisionOptions {
  /** The broker's address, or a function called at each attempt that returns an address or a transport. */
  readonly url: string | (() => string | Transport | Promise<string | Transport>);
  /** The name to register. Without one the client can call, subscribe and publish, but cannot be called. */
  readonly name?: string;
  readonly provenance?: Provenance;
  /** Called for each command in order of arrival, even before the registration is answered. */
  readonly onCommand?: (command: IncomingCommand) => void;
  /** Whether to retry a refused name, since the old holder may still be closing (default), or to give up. */
  readonly nameTaken?: "retry" | "fatal";
  /** Returns numbers in [0, 1), for the waits between attempts. */
  readonly random?: () => number;
  /** The longest wait between two attempts. Default 30 s, as the Bus contract requires. */
  readonly retryMsMax?: number;
}

/** The timeout of each request that registers or renews a subscription. */
const setUpTimeoutMs = 10_000;

const stopStepTimeoutMs = 5_000;

/** Keeps a connection to the broker: dials, registers, renews subscriptions, and repeats that when it drops. */
export class Supervision {
  onCommand: ((command: IncomingCommand) => void) | undefined;
  readonly #options: SupervisionOptions;
  readonly #subscriptions: Subscriptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stateListeners = new Set<(state: BusClientState) => void>();
  #state: BusClientState = { kind: "idle", generation: 0 };
  /** The current connection, perhaps not yet registered. */
  #connection: Connection | undefined;
  #connectionClosed: Promise<BusError> | undefined;
  #wakeUp: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(options: SupervisionOptions, subscriptions: Subscriptions, clock: Clock) {
    this.#options = options;
    this.#subscriptions = subscriptions;
    this.#clock = clock;
    this.#random = options.random ?? Math.random;
    this.onCommand = options.onCommand;
  }

  get state(): BusClientState {
    return this.#state;
  }

  /** The connection, if it is up. */
  get connection(): Connection | undefined {
    return this.#state.kind === "connected" ? this.#connection : undefined;
  }

  onState(listener: (state: BusClientState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Resolves at the first success, then retries forever. Rejects with the BusError that ended the attempts. */
  begin(attemptsMax: number): Promise<void> {
    if (this.#state.kind !== "idle") return Promise.reject(new BusError("USAGE", "a client starts once"));
    return new Promise((resolve, reject) => {
      let isUp = false;
      this.#running = this.#run(attemptsMax, () => {
        isUp = true;
        resolve();
      });
      void this.#running.then(() => {
        if (!isUp) reject(this.#endCause());
      });
    });
  }

  /** Ends the wait between two attempts, if there is one. */
  retryNow(): void {
    this.#wakeUp?.();
  }

  stop(drain: (() => Promise<void>) | undefined): Promise<void> {
    this.#stopped ??= this.#shutDown(drain);
    return this.#stopped;
  }

  /** Deregisters and closes without waiting for the broker's answer. */
  leave(): Promise<void> {
    this.#stopped ??= this.#farewell();
    return this.#stopped;
  }

  #endCause(): BusError {
    return this.#state.kind === "fatal" ? this.#state.cause : new BusError("STOPPED");
  }

  /** Runs until the client is stopped or its state is fatal. */
  async #run(attemptsMax: number, firstSuccess: () => void): Promise<void> {
    let failures = 0;
    while (!this.#isStopping) {
      this.#become({ kind: "connecting", generation: this.#state.generation, attempt: failures + 1 });
      const failure = await this.#attempt().then(
        () => undefined,
        (error: unknown) => asBusError(error, "DIAL_FAILED"),
      );
      if (this.#isStopping) return;
      if (failure === undefined) {
        this.#become({ kind: "connected", generation: this.#state.generation + 1 });
        failures = 0;
        attemptsMax = Number.POSITIVE_INFINITY;
        firstSuccess();
        const cause = await this.#connectionClosed!;
        if (!this.#isStopping) await this.#pause(0, cause);
        continue;
      }
      failures++;
      if (failures >= attemptsMax || this.#isFinal(failure)) {
        this.#become({ kind: "fatal", generation: this.#state.generation, cause: failure });
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
    const retryInMs = backoffMs(Math.max(failures - 1, 0), this.#random, this.#options.retryMsMax);
    this.#become({ kind: "disconnected", generation: this.#state.generation, attempt: failures, retryInMs, cause });
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(retryInMs, resolve);
      this.#wakeUp = () => {
        cancel();
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  /** Dials, registers and renews subscriptions. Any failure fails the whole attempt. */
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
    const { url } = this.#options;
    const found = typeof url === "string" ? url : await url();
    return typeof found === "string" ? dial(found) : found;
  }

  #adopt(transport: Transport): Connection {
    const generation = this.#state.generation + 1;
    let tellClosed!: (cause: BusError) => void;
    this.#connectionClosed = new Promise((resolve) => (tellClosed = resolve));
    const connection: Connection = new Connection(transport, this.#clock, {
      command: (frame) => this.onCommand?.(incomingCommand(frame, connection, generation, this.#options.name)),
      delivery: (frame) => this.#subscriptions.deliver(frame),
      closed: tellClosed,
    });
    this.#connection = connection;
    return connection;
  }

  async #shutDown(drain: (() => Promise<void>) | undefined): Promise<void> {
    if (this.#state.kind === "fatal") return drain?.();
    await this.#deregister();
    await drain?.();
    const connection = this.#connection;
    connection?.close();
    await this.#within(stopStepTimeoutMs, this.#connectionClosed);
    connection?.destroy();
    // A running attempt notices the stop and closes what it opened.
    await this.#within(stopStepTimeoutMs, this.#running);
  }

  async #farewell(): Promise<void> {
    if (this.#state.kind === "fatal") return;
    void this.#deregister();
    this.#connection?.close();
    await endOfTick();
  }

  /** Enters the state `shutting-down`, which ends all retries, and deregisters the name if there is one. */
  async #deregister(): Promise<void> {
    const { kind, generation } = this.#state;
    this.#become({ kind: "shutting-down", generation });
    this.#wakeUp?.();
    const { name } = this.#options;
    if (kind !== "connected" || name === undefined || !this.#connection!.isOpen) return;
    const farewell = { command: "noded.deregister", from: name, to: "noded" };
    await this.#connection!.request(farewell, "", stopStepTimeoutMs).catch(() => {});
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

const backoffFirstMs = 250;
/** Required by the Bus contract. */
const backoffMaxMs = 30_000;

/**
 * Exponential backoff with full jitter: a uniform random time up to 250 ms doubled `failures` times, at most `maxMs`, so
 * that the clients of one broker do not reconnect all at once. `random` returns numbers in [0, 1).
 */
export function backoffMs(failures: number, random: () => number, maxMs = backoffMaxMs): number {
  return random() * Math.min(backoffFirstMs * 2 ** failures, maxMs);
}
