// SPDX-License-Identifier: MIT OR Apache-2.0
// The state of each question to people, from the session's request to ask until the service has nothing of it left.
import type { PeopleEffect } from "../session/core/input.ts";

export type Question = Extract<PeopleEffect, { type: "ask_people" }>;
export type Withdrawal = Extract<PeopleEffect, { type: "withdraw_ask" }>;

/** `ask` is the service's id of the question. */
export type Tracked = { readonly session: string } &
  /** `tried`: the service may have it already. `reported`: the log says already that people are not asked. */
  (
    | { readonly phase: "to_ask"; readonly question: Question; readonly tried: boolean; readonly reported: boolean }
    | { readonly phase: "asked"; readonly question: Question; readonly ask: string }
    /** The answer was posted; the session ends the question. */
    | { readonly phase: "posted"; readonly question: Question | undefined; readonly ask: string }
    | { readonly phase: "refused" }
    /**
     * `ask` is undefined if the reply to the ask was lost. `settled`: its answer is known already. `question`: as it was
     * asked. `next`: the edition to ask in its place.
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

export type InPhase<P extends Tracked["phase"]> = Extract<Tracked, { readonly phase: P }>;

export class TrackedQuestions {
  readonly #all = new Map<string, Tracked>();
  readonly #max: number;
  readonly #onFull: (request: string) => void;

  /** Questions beyond `max` are not tracked and so not asked; calls `onFull` for them. */
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

  /** Entries may be changed during the iteration. */
  [Symbol.iterator](): IterableIterator<[string, Tracked]> {
    return this.#all.entries();
  }

  isAsked(ask: string): boolean {
    for (const one of this.#all.values()) if (one.phase === "asked" && one.ask === ask) return true;
    return false;
  }

  /** Queues the question. Withdraws an earlier edition first: the service has one question per request at a time. */
  begin(session: string, question: Question): void {
    const { request } = question;
    const before = this.#all.get(request);
    if (before === undefined || before.phase === "refused" || (before.phase === "to_ask" && !before.tried)) {
      this.set(request, toAsk(session, question));
      return;
    }
    this.set(request, { ...this.#toWithdraw(session, before, "changed"), next: question });
  }

  /** Removes a withdrawn question. Returns true if a next edition is to be asked. */
  remove(request: string): boolean {
    const before = this.#all.get(request);
    this.delete(request);
    if (before?.phase !== "to_withdraw" || before.next === undefined) return false;
    this.set(request, toAsk(before.session, before.next));
    return true;
  }

  /** Withdraws the question, whose request was resolved. */
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
    const settled = before.phase === "posted" || (before.phase === "to_withdraw" && before.settled);
    return { session, phase: "to_withdraw", question: before.question, ask, reason, settled };
  }
}

function toAsk(session: string, question: Question): Tracked {
  return { session, phase: "to_ask", question, tried: false, reported: !question.notified };
}
