// SPDX-License-Identifier: MIT OR Apache-2.0
// Composes notifyd from the store, the desktop and the Bus. Every change of an ask is on disk before anybody is told.
import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import {
  BusError,
  type Citizen,
  type Clock,
  discoverBus,
  provenanceOf,
  refused,
  serveCitizen,
  type Surroundings,
  systemClock,
} from "../bus-client/index.ts";
import {
  isAgentCitizen,
  type NotifyArguments,
  type NotifyAsk,
  notifyService,
  notifyTopics,
} from "../agentd/vocabulary/index.ts";
import { Asks } from "./asks.ts";
import type { Desktop } from "./desktop/desktop.ts";
import { NotifySend } from "./desktop/notify-send.ts";
import { Expiry } from "./expiry.ts";
import { AnswerRetries } from "./answer-retries.ts";
import { type Limits, limits as defaultLimits } from "./limits.ts";
import { acquireLock } from "./lock.ts";
import { openDatabase } from "./open-database.ts";
import { prepareStateDirectory, type StatePaths } from "./state-directory.ts";
import { notifyVerbs } from "./verbs.ts";

export interface NotifydOptions {
  readonly paths: StatePaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly surroundings: Surroundings;
  readonly version: string;
  /** Distinguishes two builds of the same version. */
  readonly build?: string | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<Limits>;
}

export interface Notifyd {
  /** Resolves on the first connection to the Bus. */
  readonly ready: Promise<void>;
  /** Stops notifyd. Open asks stay open for the next one. Idempotent; `why` is logged. */
  stop(why: string): Promise<void>;
  readonly stopped: Promise<void>;
}

/** The longest wait between two attempts to reach the Bus. Short, since agents' questions are not shown meanwhile. */
const retryMsMax = 5_000;

/** Throws NotifydError if the state directory, the lock or the database cannot be used. */
export function startNotifyd(options: NotifydOptions): Notifyd {
  const { paths, environment, surroundings, version, build, logger } = options;
  const clock = options.clock ?? systemClock;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  prepareStateDirectory(paths, surroundings.uid);
  const lock = acquireLock(paths.lockFile, limits.lockWaitMs);
  const database = openOrRelease(lock, paths.asksFile);
  const asks = new Asks({ database, limits, now: () => clock.now(), random: randomBytes });
  const startedAt = new Date(clock.now()).toISOString();

  const expiry = new Expiry(clock, limits.expiryCheckMs, (id) => {
    const ending = tryStore(() => asks.expire(id));
    if (ending?.changed === true) onEnded(ending.ask);
    return ending !== undefined;
  });
  const desktop: Desktop = new NotifySend({
    environment,
    limits,
    clock,
    onChoice: (id, option) => answers.submit(id, option),
    onState(found) {
      if (found.there) logger.info({ buttons: found.buttons }, "questions are shown on the desktop");
      else logger.info(`questions are not shown on the desktop: ${found.why}`);
    },
  });
  const answers = new AnswerRetries({
    clock,
    retryMs: limits.answerRetryMs,
    write(id, option) {
      const ending = tryStore(() => asks.answer(id, option, { via: "desktop", by: null }));
      if (ending?.changed === true) onEnded(ending.ask);
      return ending !== undefined;
    },
    onDelayed: (id) => void desktop.tell(delayedAnswerText(id), "notifyd"),
  });
  const citizen: Citizen = serveCitizen({
    client: {
      url: async () => {
        const location = await discoverBus(surroundings);
        for (const warning of location.warnings) logger.warn(warning);
        if (location.found === "none")
          throw new BusError("DIAL_FAILED", "no broker is running; start one with `mix bus` or agentd");
        return location.url;
      },
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
      asks,
      now: () => clock.now(),
      onAsked(ask) {
        expiry.arm(ask.ask, ask.expires_at);
        desktop.show(ask);
        publish(topics.asked, ask);
        tryStore(() => asks.prune());
      },
      onEnded,
      tell: (told, from) => desktop.tell(told, from),
      onFault: (error) => logger.error({ err: error }, "the store failed"),
    }),
    props: {
      read: () => ({
        version,
        started_at: startedAt,
        mode: "serving",
        desktop: desktop.state,
        open: asks.open().length,
      }),
    },
    mayQuit({ from, origin }) {
      const isPerson = origin === "local" && from !== null && !isAgentCitizen(from);
      return isPerson ? true : refused("AGENT_SELF", "agents and callers from other nodes may not stop notifyd");
    },
    onQuit: () => stop("asked to quit over the Bus"),
    onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
  });

  let resolveReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => (resolveReady = resolve));
  citizen.client.onState((state) => {
    if (state.kind === "connected") {
      logger.info(`on the Bus as ${notifyService}`);
      resolveReady();
    }
    // This is an ordinary state, so it is logged as one line without a stack.
    if (state.kind === "disconnected" && state.attempt <= 1) {
      const { code, message } = state.cause;
      const why = state.attempt === 0 ? "the connection was lost" : message;
      logger.warn({ code }, `not on the Bus: ${why}; retrying until it is reachable`);
    }
  });
  let resolveStopped: () => void = () => {};
  const stopped = new Promise<void>((resolve) => (resolveStopped = resolve));
  let stopping: Promise<void> | undefined;

  for (const ask of asks.open()) {
    expiry.arm(ask.ask, ask.expires_at);
    desktop.show(ask);
  }
  tryStore(() => asks.prune());
  citizen.start();
  return { ready, stop, stopped };

  function onEnded(ask: NotifyAsk): void {
    expiry.disarm(ask.ask);
    answers.cancel(ask.ask);
    desktop.withdraw(ask.ask);
    if (ask.state === "answered") publish(topics.answered, ask);
  }

  function publish(topic: string, { ask, ref }: NotifyAsk): void {
    citizen.client.publish(topic, JSON.stringify({ ask, ref }));
  }

  function tryStore<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      logger.error({ err: error }, "the store failed");
      return undefined;
    }
  }

  function stop(why: string): Promise<void> {
    stopping ??= stopAll(why);
    return stopping;
  }

  async function stopAll(why: string): Promise<void> {
    logger.info(`stopping: ${why}`);
    expiry.stop();
    answers.stop();
    await Promise.all([citizen.stop(), desktop.close()]);
    asks.close();
    lock[Symbol.dispose]();
    logger.info("stopped");
    resolveStopped();
  }
}

function delayedAnswerText(ask: string): NotifyArguments<"tell"> {
  const body = `The store cannot be written right now. notifyd retries until it can. To check: mix notify ls ${ask}`;
  return { title: "Your answer is not saved yet", body, urgency: "normal" };
}

const topics = notifyTopics(notifyService);

function openOrRelease(lock: Disposable, file: string): ReturnType<typeof openDatabase> {
  try {
    return openDatabase(file);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}
