// SPDX-License-Identifier: MIT OR Apache-2.0
// What is between each request and people, from the moment that a session wants them asked until nothing of it is left at
// the service.
import type { PeopleEffect } from "../session/input.ts";

export type Question = Extract<PeopleEffect, { type: "ask_people" }>;
export type Withdrawal = Extract<PeopleEffect, { type: "withdraw_ask" }>;

/** `ask` is the service's name for it. */
export type Tracked = { readonly session: string } &
  /** `tried`: the service may have it though nobody knows its name. `complained`: that it is not asked need not be said. */
  (
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

  begin(session: string, question: Question): void {
    const complained = !question.notified;
    this.set(question.request, { session, phase: "to_ask", question, tried: false, complained });
  }

  /** Its request is over. */
  end(session: string, { request, reason }: Withdrawal): void {
    const before = this.#all.get(request);
    if (before === undefined) return;
    if (before.phase === "refused" || (before.phase === "to_ask" && !before.tried)) {
      this.#all.delete(request);
      return;
    }
    const ask = "ask" in before ? before.ask : undefined;
    const settled = before.phase === "told" || (before.phase === "to_withdraw" && before.settled);
    this.set(request, { session, phase: "to_withdraw", ask, reason, settled });
  }
}
