// SPDX-License-Identifier: MIT OR Apache-2.0
// Has people asked what sessions ask, and posts what they answer. It decides nothing: an answer is an input to its session
// like any other. One worker does one call after the other; whatever fails on the way is tried again while it matters.
import type { Logger } from "pino";
import { BusError } from "../../bus-client/index.ts";
import { LogError } from "../log/log-error.ts";
import type { PeopleEffect, SessionInput } from "../session/input.ts";
import type { LoggedUse } from "./logged-use.ts";
import { askedReply, type KnownAsk, knownAsk, listReply } from "./notify-replies.ts";
import { type NotifyBus, NotifyRefusal, NotifyService } from "./notify-service.ts";

export interface NotifierOptions {
  readonly bus: NotifyBus;
  /** As the configuration names the service now; undefined: nobody is asked by one. */
  readonly service: () => string | undefined;
  /** Of all that this agentd's log asks. */
  readonly label: string;
  readonly post: (session: string, input: SessionInput) => void;
  readonly logged: (session: string, request: string) => LoggedUse;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly logger: Pick<Logger, "warn">;
  readonly limits: {
    readonly notifyCallMs: number;
    readonly notifyPollMs: number;
    readonly notifyRetryMs: number;
    readonly notifyFarewellMs: number;
    readonly notifyTrackedMax: number;
  };
}

type Question = Extract<PeopleEffect, { type: "ask_people" }>;

/** What is between a request and people. `ask` is the service's name for it. */
type Tracked = { readonly session: string } & (
  | { readonly phase: "to_ask"; readonly question: Question; readonly tried: boolean; readonly complained: boolean }
  | { readonly phase: "asked"; readonly question: Question; readonly ask: string }
  /** The answer is posted; its session says when it is over. */
  | { readonly phase: "told"; readonly ask: string }
  /** The service will not ask it. */
  | { readonly phase: "refused" }
  /** Without an `ask`: it may have been asked, and the reply was lost. `settled`: an answer there is known already. */
  | {
      readonly phase: "to_withdraw";
      readonly ask: string | undefined;
      readonly reason: string;
      readonly settled: boolean;
    }
);

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #service: NotifyService;
  readonly #tracked = new Map<string, Tracked>();
  readonly #hinted = new Set<string>();
  #connected = false;
  /** Who is on the Bus has to be looked at. */
  #lookDue = false;
  /** What the service has of us has to be compared with what we know. */
  #sweepDue = true;
  #working: Promise<void> | undefined;
  #again = false;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#service = new NotifyService({
      bus: options.bus,
      name: options.service,
      callMs: options.limits.notifyCallMs,
      onServices: () => {
        this.#lookDue = true;
        this.#wake();
      },
      onHint: (ask) => {
        // Of what was never asked nobody wants to know more.
        if (![...this.#tracked.values()].some((one) => one.phase === "asked" && one.ask === ask)) return;
        this.#hinted.add(ask);
        this.#wake();
      },
    });
  }

  get reach(): "off" | "away" | "there" {
    return this.#connected || this.#service.reach === "off" ? this.#service.reach : "away";
  }

  onBus(connected: boolean): void {
    this.#connected = connected;
    this.#lookDue = connected;
    if (connected) this.#wake();
    else this.#service.lost();
  }

  act(session: string, effect: PeopleEffect): void {
    const { request } = effect;
    const before = this.#tracked.get(request);
    if (effect.type === "ask_people") {
      this.#track(request, {
        session,
        phase: "to_ask",
        question: effect,
        tried: false,
        complained: !effect.notified,
      });
    } else if (before !== undefined) {
      const wasNeverAsked = before.phase === "refused" || (before.phase === "to_ask" && !before.tried);
      if (wasNeverAsked) this.#tracked.delete(request);
      else {
        const settled = before.phase === "told" || (before.phase === "to_withdraw" && before.settled);
        this.#track(request, { session, phase: "to_withdraw", ask: askOf(before), reason: effect.reason, settled });
      }
    }
    this.#wake();
  }

  /** Takes back what people are asked, for a while; the next agentd takes back what is left. */
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

  #track(request: string, tracked: Tracked): void {
    if (!this.#tracked.has(request) && this.#tracked.size >= this.#options.limits.notifyTrackedMax) {
      this.#options.logger.warn({ request }, "too much is asked of people: this is not");
      return;
    }
    this.#tracked.set(request, tracked);
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // Woken in the moment between its last look and its end.
      if (this.#again) this.#wake();
    });
  }

  async #work(): Promise<void> {
    const { logger, limits } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    let waitMs: number = limits.notifyPollMs;
    // What an effect of the same tick asks for is done with the rest.
    await Promise.resolve();
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#round();
      }
    } catch (error) {
      if (!(error instanceof BusError || error instanceof LogError || error instanceof NotifyRefusal)) throw error;
      logger.warn({ err: error }, "the service that asks people could not be asked");
      this.#again = false;
      this.#lookDue = true;
      this.#sweepDue = true;
      waitMs = limits.notifyRetryMs;
      this.#complain(error.message);
    }
    if (this.#stopped || !this.#connected || this.#service.reach === "off" || this.#tracked.size === 0) return;
    if (this.#service.reach === "away") this.#complain("it is not on the Bus");
    // Hints are lost, and so are notices of services that come.
    this.#cancelTimer = this.#options.after(waitMs, () => {
      this.#lookDue = true;
      this.#sweepDue = true;
      this.#wake();
    });
  }

  async #round(): Promise<void> {
    if (!this.#connected) return;
    if (this.#lookDue || this.#service.reach === "away") {
      this.#lookDue = false;
      if (await this.#service.look()) this.#sweepDue = true;
    }
    if (this.#service.reach !== "there") return;
    if (this.#sweepDue) {
      await this.#sweep();
      this.#sweepDue = false;
    }
    // Last of all what is new: a service that takes no more is no reason to leave up what is over.
    for (const phase of ["to_withdraw", "asked", "to_ask"] as const) {
      for (const [request, one] of this.#tracked) {
        if (one.phase !== phase || this.#tracked.get(request) !== one) continue;
        if (one.phase === "to_withdraw") await this.#withdraw(request, one);
        else if (one.phase === "to_ask") await this.#ask(request, one);
        else if (this.#hinted.delete(one.ask)) await this.#get(request, one);
      }
    }
  }

  async #ask(request: string, one: Extract<Tracked, { phase: "to_ask" }>): Promise<void> {
    const { question, session } = one;
    const { title, body, options, expiresAt } = question;
    this.#tracked.set(request, { ...one, tried: true });
    const args = {
      title,
      body,
      options: [...options],
      expires_at: expiresAt,
      source: this.#options.label,
      ref: request,
    };
    let asked: { readonly ask: string; readonly state: string };
    try {
      asked = await this.#service.call("ask", args, askedReply);
    } catch (error) {
      if (!(error instanceof NotifyRefusal) || error.code === "BUSY" || error.code === "STORE_FAILED") throw error;
      // Over meanwhile: then nobody has to know.
      if (this.#tracked.get(request)?.phase !== "to_ask") {
        this.#tracked.delete(request);
        return;
      }
      this.#tracked.set(request, { session, phase: "refused" });
      this.#options.post(session, { type: "people_not_asked", request, message: error.message });
      return;
    }
    const now = this.#tracked.get(request);
    if (now?.phase === "to_withdraw") this.#tracked.set(request, { ...now, ask: asked.ask });
    if (now?.phase !== "to_ask") {
      this.#again = true;
      return;
    }
    const known = { session, phase: "asked", question, ask: asked.ask } as const;
    this.#tracked.set(request, known);
    // Asked before, and a person was quick.
    if (asked.state !== "open") await this.#get(request, known);
  }

  async #get(request: string, one: Extract<Tracked, { phase: "asked" }>): Promise<void> {
    try {
      this.#see(request, one, await this.#service.call("get", { ask: one.ask }, knownAsk));
    } catch (error) {
      if (!(error instanceof NotifyRefusal) || error.code !== "ASK_UNKNOWN") throw error;
      this.#askAnew(request, one);
    }
  }

  /** An end without an answer is none: the request's own time is its session's matter. */
  #see(request: string, one: Extract<Tracked, { phase: "asked" }>, known: KnownAsk): void {
    if (this.#tracked.get(request) !== one || known.ask !== one.ask || known.ref !== request) return;
    if (known.state !== "answered" || known.answer === undefined) return;
    this.#tell(request, one.session, known.ask, known.answer);
  }

  #tell(request: string, session: string, ask: string, { option, by }: NonNullable<KnownAsk["answer"]>): void {
    this.#track(request, { session, phase: "told", ask });
    this.#options.post(session, { type: "people_answered", request, option, by });
  }

  async #withdraw(request: string, one: Extract<Tracked, { phase: "to_withdraw" }>): Promise<void> {
    const { ask, reason, session, settled } = one;
    if (ask === undefined) {
      // The next sweep finds it, or that it is not there.
      this.#sweepDue = true;
      this.#again = true;
      return;
    }
    let known: KnownAsk | undefined;
    try {
      known = await this.#service.call("withdraw", { ask, reason, note_answer: settled }, knownAsk);
    } catch (error) {
      if (!(error instanceof NotifyRefusal) || error.code === "BUSY" || error.code === "STORE_FAILED") throw error;
    }
    // It crossed with what closed the request: a person believes to have decided it.
    if (!settled && known?.state === "answered" && known.ref === request && known.answer !== undefined) {
      this.#settle(request, session, ask, known.answer);
    } else this.#tracked.delete(request);
  }

  /** An answer behind which no open request stands is told once, by the log's word, and then taken note of. */
  #settle(request: string, session: string, ask: string, answer: NonNullable<KnownAsk["answer"]>): void {
    if (this.#options.logged(session, request) === "unused") this.#tell(request, session, ask, answer);
    else this.#track(request, { session, phase: "to_withdraw", ask, reason: "settled", settled: true });
    this.#again = true;
  }

  /** All that the service has of this log and that is not settled, ours and what the last agentd left. */
  async #sweep(): Promise<void> {
    const seen = new Set<string>();
    let after: string | undefined;
    do {
      const from = { source: this.#options.bus.name ?? "", label: this.#options.label, noted: false };
      const page = await this.#service.call("list", after === undefined ? from : { ...from, after }, listReply);
      for (const known of page.asks) {
        seen.add(known.ref);
        this.#sweepOne(known);
      }
      after = page.more ? page.asks.at(-1)?.ask : undefined;
    } while (after !== undefined);
    for (const [request, one] of this.#tracked) {
      if (seen.has(request)) continue;
      // The service has lost it, or never got it.
      if (one.phase === "asked") this.#askAnew(request, one);
      if (one.phase === "to_withdraw" && one.ask === undefined) this.#tracked.delete(request);
    }
  }

  #sweepOne(known: KnownAsk): void {
    const { ask, ref: request } = known;
    const one = this.#tracked.get(request);
    switch (one?.phase) {
      case "asked":
        return this.#see(request, one, known);
      case "to_withdraw":
        if (one.ask === undefined) this.#tracked.set(request, { ...one, ask });
        return;
      case "to_ask":
      case "told":
      case "refused":
        return;
      case undefined:
        return this.#sweepLeftover(known);
    }
  }

  /** No open request stands behind it: an agentd died over it, or could not take it back. */
  #sweepLeftover({ ask, ref: request, state, answer }: KnownAsk): void {
    const session = /^([a-z2-7]{12})-[1-9][0-9]*$/u.exec(request)?.[1];
    if (session === undefined) return;
    if (state === "answered" && answer !== undefined) this.#settle(request, session, ask, answer);
    else this.#track(request, { session, phase: "to_withdraw", ask, reason: "restart", settled: false });
  }

  #askAnew(request: string, { session, question }: Extract<Tracked, { phase: "asked" }>): void {
    this.#tracked.set(request, { session, phase: "to_ask", question, tried: true, complained: true });
    this.#again = true;
  }

  /** Once for each question of which the log says that people are asked. */
  #complain(message: string): void {
    for (const [request, one] of this.#tracked) {
      if (one.phase !== "to_ask" || one.complained) continue;
      this.#tracked.set(request, { ...one, complained: true });
      this.#options.post(one.session, { type: "people_not_asked", request, message });
    }
  }
}

function askOf(one: Tracked): string | undefined {
  return "ask" in one ? one.ask : undefined;
}
