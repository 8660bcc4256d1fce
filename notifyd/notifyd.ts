// SPDX-License-Identifier: MIT OR Apache-2.0
// Composes notifyd from the store, the presenters and the Bus. Every change of an ask is on disk before anybody is told.
import type { Logger } from "pino";
import {
  BusError,
  type BusClientState,
  type Citizen,
  type CitizenOptions,
  type Clock,
  discoverBus,
  provenanceOf,
  refused,
  serveCitizen,
  type Surroundings,
  systemClock,
} from "../bus-client/index.ts";
import { isAgentCitizen, type NotifyAsk, notifyService, notifyTopics } from "../agentd/vocabulary/index.ts";
import { AnswerRetries } from "./answer-retries.ts";
import { Asks, type EndResult } from "./asks.ts";
import { Expiry } from "./expiry.ts";
import { type Limits, limits as defaultLimits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";
import type { CreatePresenter } from "./presenter.ts";
import { Presenters } from "./presenters.ts";
import { acquireLock, prepareStateDirectory, type StatePaths } from "./state-directory.ts";
import { notifyVerbs } from "./verbs.ts";

export interface NotifydOptions {
  readonly paths: StatePaths;
  readonly surroundings: Surroundings;
  readonly version: string;
  /** Distinguishes two builds of the same version. */
  readonly build?: string | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<Limits>;
}

/** The longest wait between two attempts to reach the Bus. Short, since agents' questions are not shown meanwhile. */
const retryMsMax = 5_000;
const topics = notifyTopics(notifyService);

export class Notifyd {
  /** Resolves on the first connection to the Bus. */
  readonly ready: Promise<void>;
  readonly stopped: Promise<void>;
  readonly #options: NotifydOptions & { readonly clock: Clock; readonly limits: Limits };
  readonly #lock: Disposable;
  readonly #asks: Asks;
  readonly #expiry: Expiry;
  readonly #answers: AnswerRetries;
  readonly #presenters: Presenters;
  readonly #citizen: Citizen;
  #resolveReady: () => void = () => {};
  #resolveStopped: () => void = () => {};
  #stopping: Promise<void> | undefined;

  /** Starts notifyd. Throws NotifydError if the state directory, the lock or the database cannot be used. */
  constructor(options: NotifydOptions) {
    this.#options = { clock: systemClock, ...options, limits: { ...defaultLimits, ...options.limits } };
    const { paths, surroundings, logger, clock, limits } = this.#options;
    prepareStateDirectory(paths, surroundings.uid);
    this.#lock = acquireLock(paths.lockFile, limits.lockWaitMs);
    this.#asks = this.#openAsks();
    this.#expiry = new Expiry(clock, limits.expiryCheckMs, (id) => this.#tryEnd(() => this.#asks.expire(id)));
    this.#presenters = new Presenters({
      clock,
      limits,
      logger,
      onAnswer: (id, option, via) => this.#answers.submit(id, option, via),
    });
    this.#answers = new AnswerRetries({
      clock,
      retryMs: limits.answerRetryMs,
      write: (id, option, via) => this.#tryEnd(() => this.#asks.answer(id, option, { via, by: null })),
      onDelayed: (id, via) => {
        const body = `The store cannot be written right now. notifyd retries until it can. To check: mix notify ls ${id}`;
        this.#presenters.tell({ title: "Your answer is not saved yet", body, urgency: "normal" }, "notifyd", via);
      },
    });
    this.ready = new Promise((resolve) => (this.#resolveReady = resolve));
    this.stopped = new Promise((resolve) => (this.#resolveStopped = resolve));
    for (const ask of this.#asks.open()) this.#present(ask);
    this.#tryStore(() => this.#asks.prune());
    this.#citizen = serveCitizen(this.#citizenOptions());
    this.#citizen.client.onState((state) => this.#onBusState(state));
    this.#citizen.start();
  }

  /** Adds a way to show asks; it is given all open ones. Returns how to remove it. */
  addPresenter(create: CreatePresenter): () => Promise<void> {
    return this.#presenters.add(create);
  }

  /** Stops notifyd. Open asks stay open for the next one. Idempotent; `why` is logged. */
  stop(why: string): Promise<void> {
    this.#stopping ??= this.#stop(why);
    return this.#stopping;
  }

  async #stop(why: string): Promise<void> {
    this.#options.logger.info(`stopping: ${why}`);
    this.#expiry.stop();
    this.#answers.stop();
    await Promise.all([this.#citizen.stop(), this.#presenters.close()]);
    this.#asks.close();
    this.#lock[Symbol.dispose]();
    this.#options.logger.info("stopped");
    this.#resolveStopped();
  }

  #openAsks(): Asks {
    const { paths, limits, clock } = this.#options;
    try {
      const database = openDatabase(paths.asksFile);
      return new Asks({ database, limits, now: () => clock.now() });
    } catch (error) {
      this.#lock[Symbol.dispose]();
      throw error;
    }
  }

  #citizenOptions(): CitizenOptions {
    const { version, build, logger, clock, limits } = this.#options;
    const startedAt = new Date(clock.now()).toISOString();
    return {
      client: {
        url: () => this.#busUrl(),
        provenance: provenanceOf("notifyd", { version, build }, startedAt),
        retryMsMax,
        clock,
      },
      service: notifyService,
      version,
      description: "Asks people, by desktop notifications and mix notify",
      app: "notifyd",
      pendingMax: limits.commandsMax,
      verbs: notifyVerbs({
        asks: this.#asks,
        now: () => clock.now(),
        onAsked: (ask) => {
          this.#present(ask);
          this.#publish(topics.asked, ask);
          this.#tryStore(() => this.#asks.prune());
        },
        onEnded: (ask) => this.#onEnded(ask),
        tell: (told, from) => this.#presenters.tell(told, from),
        onFault: (error) => logger.error({ err: error }, "the store failed"),
      }),
      props: {
        read: () => ({
          version,
          started_at: startedAt,
          mode: "serving",
          ...this.#presenters.states(),
          open: this.#asks.open().length,
        }),
      },
      mayQuit: ({ from, origin }) => {
        const isPerson = origin === "local" && from !== null && !isAgentCitizen(from);
        return isPerson ? true : refused("AGENT_SELF", "agents and callers from other nodes may not stop notifyd");
      },
      onQuit: () => this.stop("asked to quit over the Bus"),
      onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
    };
  }

  async #busUrl(): Promise<string> {
    const location = await discoverBus(this.#options.surroundings);
    for (const warning of location.warnings) this.#options.logger.warn(warning);
    if (location.found === "none")
      throw new BusError("DIAL_FAILED", "no broker is running; start one with `mix bus` or agentd");
    return location.url;
  }

  #onBusState(state: BusClientState): void {
    const { logger } = this.#options;
    if (state.kind === "connected") {
      logger.info(`on the Bus as ${notifyService}`);
      this.#resolveReady();
    }
    // This is an ordinary state, so it is logged as one line without a stack.
    if (state.kind === "disconnected" && state.attempt <= 1) {
      const { code, message } = state.cause;
      const why = state.attempt === 0 ? "the connection was lost" : message;
      logger.warn({ code }, `not on the Bus: ${why}; retrying until it is reachable`);
    }
  }

  #present(ask: NotifyAsk): void {
    this.#expiry.arm(ask.ask, ask.expires_at);
    this.#presenters.present(ask);
  }

  #onEnded(ask: NotifyAsk): void {
    this.#expiry.disarm(ask.ask);
    this.#answers.cancel(ask.ask);
    this.#presenters.update(ask);
    if (ask.state === "answered") this.#publish(topics.answered, ask);
  }

  #publish(topic: string, { ask, ref }: NotifyAsk): void {
    this.#citizen.client.publish(topic, JSON.stringify({ ask, ref }));
  }

  /** Returns false if the store failed. An answer to an ask that is overdue ends it as expired. */
  #tryEnd(end: () => EndResult): boolean {
    const ending = this.#tryStore(end);
    if (ending?.changed === true || ending?.ask.state === "expired") this.#onEnded(ending.ask);
    return ending !== undefined;
  }

  #tryStore<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#options.logger.error({ err: error }, "the store failed");
      return undefined;
    }
  }
}
