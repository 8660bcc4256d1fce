// SPDX-License-Identifier: MIT OR Apache-2.0
// One notifyd, composed: the store, the desktop, the Bus. Whatever an ask comes to is on disk before anybody hears of it.
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
import { LateAnswers } from "./late-answers.ts";
import { type Limits, limits as defaultLimits } from "./limits.ts";
import { holdLock } from "./lock.ts";
import { openDatabase } from "./open-database.ts";
import { prepareStateDirectory, type StatePaths } from "./state-directory.ts";
import { notifyVerbs } from "./verbs.ts";

export interface NotifydOptions {
  readonly paths: StatePaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly surroundings: Surroundings;
  readonly version: string;
  /** Tells two builds of one version apart. */
  readonly build?: string | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<Limits>;
}

export interface Notifyd {
  /** On the Bus for the first time. */
  readonly ready: Promise<void>;
  /** Open asks stay open for the next notifyd. Idempotent. */
  stop(why: string): Promise<void>;
  readonly stopped: Promise<void>;
}

/** Between two looks for a Bus that is away. Until it is back agents' questions are not shown. */
const retryMsMax = 5_000;

/** Throws NotifydError for what a person must mend. */
export function startNotifyd(options: NotifydOptions): Notifyd {
  const { paths, environment, surroundings, version, build, logger } = options;
  const clock = options.clock ?? systemClock;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  prepareStateDirectory(paths, surroundings.uid);
  const lock = holdLock(paths.lockFile, limits.lockWaitMs);
  const database = openedUnder(lock, paths.asksFile);
  const asks = new Asks({ database, limits, now: () => clock.now(), random: randomBytes });
  const startedAt = new Date(clock.now()).toISOString();

  const expiry = new Expiry(clock, limits.expiryLookMs, (id) => {
    const ending = attempted(() => asks.expire(id));
    if (ending?.changed === true) ended(ending.ask);
    return ending !== undefined;
  });
  const desktop: Desktop = new NotifySend({
    environment,
    limits,
    clock,
    onChoice: (id, option) => answers.choose(id, option),
    onState(found) {
      if (found.there) logger.info({ buttons: found.buttons }, "questions are shown on the desktop");
      else logger.info(`questions are not shown on the desktop: ${found.why}`);
    },
  });
  const answers = new LateAnswers({
    clock,
    againMs: limits.answerAgainMs,
    write(id, option) {
      const ending = attempted(() => asks.answer(id, option, { via: "desktop", by: null }));
      if (ending?.changed === true) ended(ending.ask);
      return ending !== undefined;
    },
    onLate: (id) => void desktop.tell(lateWords(id), "notifyd"),
  });
  const citizen: Citizen = serveCitizen({
    client: {
      url: async () => {
        const location = await discoverBus(surroundings);
        for (const warning of location.warnings) logger.warn(warning);
        if (location.found === "none")
          throw new BusError("DIAL_FAILED", "there is none here yet; `mix bus` or agentd brings one");
        return location.url;
      },
      provenance: provenanceOf("notifyd", { version, build }, startedAt),
      retryMsMax,
      clock,
    },
    service: notifyService,
    version,
    description: "Asks people: on the desktop where there is one, and by mix notify",
    app: "notifyd",
    pendingMax: limits.commandsMax,
    verbs: notifyVerbs({
      asks,
      now: () => clock.now(),
      onAsked(ask) {
        expiry.arm(ask.ask, ask.expires_at);
        desktop.show(ask);
        publish(topics.asked, ask);
        attempted(() => asks.prune());
      },
      onEnded: ended,
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
      return isPerson ? true : refused("AGENT_SELF", "an agent or another node may not end notifyd");
    },
    onQuit: () => stop("asked to quit over the Bus"),
    onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
  });

  let connected: () => void = () => {};
  const ready = new Promise<void>((resolve) => (connected = resolve));
  citizen.client.onState((state) => {
    if (state.kind === "connected") {
      logger.info(`on the Bus as ${notifyService}`);
      connected();
    }
    // An ordinary state, and no fault of ours: one line for a person, without a stack.
    if (state.kind === "disconnected" && state.attempt <= 1) {
      const { code, message } = state.cause;
      const why = state.attempt === 0 ? "the connection was lost" : message;
      logger.warn({ code }, `not on the Bus: ${why}; looked for until it is there`);
    }
  });
  let gone: () => void = () => {};
  const stopped = new Promise<void>((resolve) => (gone = resolve));
  let stopping: Promise<void> | undefined;

  for (const ask of asks.open()) {
    expiry.arm(ask.ask, ask.expires_at);
    desktop.show(ask);
  }
  attempted(() => asks.prune());
  citizen.start();
  return { ready, stop, stopped };

  function ended(ask: NotifyAsk): void {
    expiry.disarm(ask.ask);
    answers.drop(ask.ask);
    desktop.withdraw(ask.ask);
    if (ask.state === "answered") publish(topics.answered, ask);
  }

  function publish(topic: string, { ask, ref }: NotifyAsk): void {
    citizen.client.publish(topic, JSON.stringify({ ask, ref }));
  }

  function attempted<T>(act: () => T): T | undefined {
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
    gone();
  }
}

function lateWords(ask: string): NotifyArguments<"tell"> {
  const body = `The store cannot be written just now; it is tried again until it can. To look: mix notify ls ${ask}`;
  return { title: "Your answer is not given yet", body, urgency: "normal" };
}

const topics = notifyTopics(notifyService);

function openedUnder(lock: Disposable, file: string): ReturnType<typeof openDatabase> {
  try {
    return openDatabase(file);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}
