// SPDX-License-Identifier: MIT OR Apache-2.0
// What is between each request and people, from the moment that a session wants them asked until nothing of it is left at
// the service.
import type { PeopleEffect } from "../session/core/input.ts";

export type Question = Extract<PeopleEffect, { type: "ask_people" }>;
export type Withdrawal = Extract<PeopleEffect, { type: "withdraw_ask" }>;

/** `ask` is the service's name for it. */
export type Tracked = { readonly session: string } &
  /** `tried`: the service may have it though nobody knows its name. `complained`: that it is not asked need not be said. */
  (
    | { readonly phase: "to_ask"; readonly question: Question; readonly tried: boolean; readonly reported: boolean }
    | { readonly phase: "asked"; readonly question: Question; readonly ask: string }
    /** The answer is posted; its session says when it is over. */
    | { readonly phase: "told"; readonly question: Question | undefined; readonly ask: string }
    /** The service will not ask it. */
    | { readonly phase: "refused" }
    /**
     * Without an `ask`: it may have been asked, and the reply was lost. `settled`: an answer there is known already.
     * `question`: as it was asked. `next`: what is to be asked in its place.
     */
    | {
        readonly phase: "to_withdraw";
        readonly question?: Question | undefined;
        readonly ask: string | undefined;
        readonly reason: string;
        readonly settled: boolean;
        readonly next?: Question;
      }
  );

/** A tracked question in that phase. */
export type InPhase<P extends Tracked["phase"]> = Extract<Tracked, { readonly phase: P }>;

export class TrackedQuestions {
  readonly #all = new Map<string, Tracked>();
  readonly #max: number;
  readonly #onFull: (request: string) => void;

  /** What is beyond `max` is not tracked, and so not asked; `onFull` is told. */
  constructor(max: number, onFull: (request: string) => void) {
    this.#max = max;
    this.#onFull = onFull;
  }

  get size(): number {
    return this.#all.size;
  }

  get(request: string): Tracked | undefined {
    return this.#all.get(request);
  }

  set(request: string, tracked: Tracked): void {
    if (!this.#all.has(request) && this.#all.size >= this.#max) this.#onFull(request);
    else this.#all.set(request, tracked);
  }

  delete(request: string): void {
    this.#all.delete(request);
  }

  /** May be changed on the way. */
  [Symbol.iterator](): IterableIterator<[string, Tracked]> {
    return this.#all.entries();
  }

  /** Under the service's name for it. */
  isAsked(ask: string): boolean {
    for (const one of this.#all.values()) if (one.phase === "asked" && one.ask === ask) return true;
    return false;
  }

  /** Asks it, also in the place of an earlier edition: under one name the service has one question at a time. */
  begin(session: string, question: Question): void {
    const { request } = question;
    const before = this.#all.get(request);
    if (before === undefined || before.phase === "refused" || (before.phase === "to_ask" && !before.tried)) {
      this.set(request, toAsk(session, question));
      return;
    }
    this.set(request, { ...this.#toWithdraw(session, before, "changed"), next: question });
  }

  /** What was asked under this name is out of the way. True: there is a next edition to be asked. */
  remove(request: string): boolean {
    const before = this.#all.get(request);
    this.delete(request);
    if (before?.phase !== "to_withdraw" || before.next === undefined) return false;
    this.set(request, toAsk(before.session, before.next));
    return true;
  }

  /** Its request is over. */
  end(session: string, { request, reason }: Withdrawal): void {
    const before = this.#all.get(request);
    if (before === undefined) return;
    if (before.phase === "refused" || (before.phase === "to_ask" && !before.tried)) {
      this.#all.delete(request);
      return;
    }
    this.set(request, this.#toWithdraw(session, before, reason));
  }

  #toWithdraw(session: string, before: Exclude<Tracked, { phase: "refused" }>, reason: string): InPhase<"to_withdraw"> {
    const ask = "ask" in before ? before.ask : undefined;
    const settled = before.phase === "told" || (before.phase === "to_withdraw" && before.settled);
    return { session, phase: "to_withdraw", question: before.question, ask, reason, settled };
  }
}

function toAsk(session: string, question: Question): Tracked {
  return { session, phase: "to_ask", question, tried: false, reported: !question.notified };
}
