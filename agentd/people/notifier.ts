// SPDX-License-Identifier: MIT OR Apache-2.0
// Has the service `notify` ask people the sessions' questions, and posts the answers as inputs. It decides nothing itself.
// One worker makes one call after the other; failed calls are retried while the question is pending.
import type { Logger } from "pino";
import { BusError } from "../../bus-client/index.ts";
import type { Limits } from "../config/limits.ts";
import { LogError } from "../log/log-error.ts";
import type { PeopleEffect, SessionInput } from "../session/core/input.ts";
import type { AnswerStatus } from "./answer-status.ts";
import { type NotifyBus, NotifyRefusal, NotifyService } from "./notify-service.ts";
import { QuestionCalls } from "./question-calls.ts";
import { type InPhase, TrackedQuestions } from "./tracked-questions.ts";

export interface NotifierOptions {
  readonly bus: NotifyBus;
  /** Its configured name now; undefined for "none". */
  readonly service: () => string | undefined;
  /** The label of all asks of this agentd's log. */
  readonly label: string;
  readonly post: (session: string, input: SessionInput) => void;
  readonly answerStatus: (session: string, request: string) => AnswerStatus;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly logger: Pick<Logger, "warn">;
  readonly limits: Pick<
    Limits,
    "notifyCallMs" | "notifyPollMs" | "notifyRetryMs" | "notifyFarewellMs" | "notifyTrackedMax"
  >;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #service: NotifyService;
  readonly #tracked: TrackedQuestions;
  readonly #calls: QuestionCalls;
  /** Asks that were said to be answered; anybody can say so. */
  readonly #hinted = new Set<string>();
  #connected = false;
  #lookupDue = false;
  /** Whether the service's asks must be compared with the tracked questions. */
  #sweepDue = true;
  #working: Promise<void> | undefined;
  #workPending = false;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: NotifierOptions) {
    const { bus, service, limits, logger, label, post, answerStatus } = options;
    this.#options = options;
    this.#tracked = new TrackedQuestions(limits.notifyTrackedMax, (request) => {
      logger.warn({ request }, "too many questions: people are not asked this one");
    });
    this.#service = new NotifyService({
      bus,
      name: service,
      callMs: limits.notifyCallMs,
      onServices: () => {
        this.#lookupDue = true;
        this.#wake();
      },
      onHint: (ask) => {
        // Ignores hints about unknown asks.
        if (!this.#tracked.isAsked(ask)) return;
        this.#hinted.add(ask);
        this.#wake();
      },
    });
    this.#calls = new QuestionCalls({
      service: this.#service,
      tracked: this.#tracked,
      source: bus.name ?? "",
      label,
      post,
      answerStatus,
      again: (what) => {
        if (what === "sweep") this.#sweepDue = true;
        this.#workPending = true;
      },
    });
  }

  get reach(): "off" | "away" | "there" {
    return this.#connected || this.#service.reach === "off" ? this.#service.reach : "away";
  }

  onBus(connected: boolean): void {
    this.#connected = connected;
    this.#lookupDue = connected;
    if (connected) this.#wake();
    else this.#service.onLost();
  }

  act(session: string, effect: PeopleEffect): void {
    if (effect.type === "ask_people") this.#tracked.begin(session, effect);
    else this.#tracked.end(session, effect);
    this.#wake();
  }

  /** Withdraws the questions within `notifyFarewellMs`; the next agentd withdraws the rest. */
  async stop(): Promise<void> {
    const { after, limits } = this.#options;
    let cancel: () => void = () => {};
    const late = new Promise<void>((resolve) => (cancel = after(limits.notifyFarewellMs, resolve)));
    this.#wake();
    await Promise.race([this.#working, late]);
    cancel();
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#workPending = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // Woken after its last check and before its end.
      if (this.#workPending) this.#wake();
    });
  }

  async #work(): Promise<void> {
    const { logger, limits } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    let waitMs: number = limits.notifyPollMs;
    let crowded: ReadonlyMap<string, string> = new Map();
    // Waits for the other effects of this tick.
    await Promise.resolve();
    try {
      while (this.#workPending && !this.#stopped) {
        this.#workPending = false;
        crowded = await this.#round();
      }
    } catch (error) {
      if (!(error instanceof BusError || error instanceof LogError || error instanceof NotifyRefusal)) throw error;
      logger.warn({ err: error }, "a call to the service that asks people failed");
      this.#workPending = false;
      this.#lookupDue = true;
      this.#sweepDue = true;
      waitMs = limits.notifyRetryMs;
      this.#reportNotAsked(error.message);
    }
    for (const [session, message] of crowded) {
      this.#reportNotAsked(message, session);
      waitMs = limits.notifyRetryMs;
    }
    if (this.#stopped || !this.#connected || this.#service.reach === "off" || this.#tracked.size === 0) return;
    if (this.#service.reach === "away") this.#reportNotAsked("it is not on the Bus");
    // Polls, since hints and notices of new services can be lost.
    this.#cancelTimer = this.#options.after(waitMs, () => {
      this.#lookupDue = true;
      this.#sweepDue = true;
      this.#wake();
    });
  }

  /** Returns the sessions for whose questions the service has no room, with its message. */
  async #round(): Promise<ReadonlyMap<string, string>> {
    const crowded = new Map<string, string>();
    if (!this.#connected) return crowded;
    if (this.#lookupDue || this.#service.reach === "away") {
      this.#lookupDue = false;
      if (await this.#service.lookUp()) this.#sweepDue = true;
    }
    if (this.#service.reach !== "there") return crowded;
    if (this.#sweepDue) {
      this.#sweepDue = false;
      await this.#calls.sweep();
    }
    // New questions last: a service without room for them must still get the withdrawals.
    for (const phase of ["to_withdraw", "asked", "to_ask"] as const) {
      for (const [request, one] of this.#tracked) {
        if (one.phase !== phase) continue;
        if (one.phase === "to_withdraw") await this.#calls.withdraw(request, one);
        else if (one.phase === "to_ask") await this.#askIfRoom(request, one, crowded);
        else if (this.#hinted.delete(one.ask)) await this.#calls.get(request, one);
      }
    }
    for (const ask of this.#hinted) if (!this.#tracked.isAsked(ask)) this.#hinted.delete(ask);
    return crowded;
  }

  /** Skips a session whose questions are too many, so that those of other sessions are still asked. */
  async #askIfRoom(request: string, one: InPhase<"to_ask">, crowded: Map<string, string>): Promise<void> {
    if (crowded.has(one.session)) return;
    try {
      await this.#calls.ask(request, one);
    } catch (error) {
      if (!(error instanceof NotifyRefusal) || error.code !== "BUSY") throw error;
      crowded.set(one.session, error.message);
    }
  }

  /** Posts once per question, of that session or of all, that people are not asked although the log says so. */
  #reportNotAsked(message: string, session?: string): void {
    for (const [request, one] of this.#tracked) {
      if (one.phase !== "to_ask" || one.reported || (session ?? one.session) !== one.session) continue;
      this.#tracked.set(request, { ...one, reported: true });
      this.#options.post(one.session, { type: "people_not_asked", request, message });
    }
  }
}
