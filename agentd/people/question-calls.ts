// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls at the service that move a tracked question on, one at a time. While one is under way its request may end, so
// after each it is looked what is tracked now. All of them throw BusError, LogError, and NotifyRefusal where the service may
// do it later.
import { pagesOf } from "../../bus-client/index.ts";
import type { SessionInput } from "../session/core/input.ts";
import { sessionOfRequest } from "../session/session-id.ts";
import type { AnswerStatus } from "./answer-status.ts";
import { askedReply, type KnownAsk, knownAsk, listReply } from "./notify-replies.ts";
import { NotifyRefusal, type NotifyService } from "./notify-service.ts";
import type { InPhase, Question, TrackedQuestions } from "./tracked-questions.ts";

export interface QuestionCallsOptions {
  readonly service: NotifyService;
  readonly tracked: TrackedQuestions;
  /** The name by which the service knows us. */
  readonly source: string;
  /** Of all that this agentd's log asks. */
  readonly label: string;
  readonly post: (session: string, input: SessionInput) => void;
  readonly answerStatus: (session: string, request: string) => AnswerStatus;
  /** There is more to do than was seen at first. `sweep`: also to compare all that the service has. */
  readonly again: (what: "round" | "sweep") => void;
}

type Answer = NonNullable<KnownAsk["answer"]>;

export class QuestionCalls {
  readonly #options: QuestionCallsOptions;

  constructor(options: QuestionCallsOptions) {
    this.#options = options;
  }

  async ask(request: string, one: InPhase<"to_ask">): Promise<void> {
    const { service, tracked, label, again } = this.#options;
    const { question, session } = one;
    const { title, body, incomplete, options, expiresAt } = question;
    tracked.set(request, { ...one, tried: true });
    const args = {
      title,
      body,
      // An older notify knows no such argument.
      ...(incomplete ? { incomplete } : {}),
      options: [...options],
      expires_at: expiresAt,
      source: label,
      group: session,
      ref: request,
    };
    let asked: { readonly ask: string; readonly state: string };
    try {
      asked = await service.call("ask", args, askedReply);
    } catch (error) {
      if (!isFinal(error)) throw error;
      return this.#onRefused(request, session, error.message);
    }
    const now = tracked.get(request);
    if (now?.phase !== "to_ask") {
      if (now?.phase === "to_withdraw") tracked.set(request, { ...now, ask: asked.ask });
      return again("round");
    }
    const known = { session, phase: "asked", question, ask: asked.ask } as const;
    tracked.set(request, known);
    // Asked before, and a person was quick.
    if (asked.state !== "open") await this.get(request, known);
  }

  async get(request: string, one: InPhase<"asked">): Promise<void> {
    try {
      this.#onKnownAsk(request, one, await this.#options.service.call("get", { ask: one.ask }, knownAsk));
    } catch (error) {
      if (!(error instanceof NotifyRefusal) || error.code !== "ASK_UNKNOWN") throw error;
      this.#askAnew(request, one);
    }
  }

  async withdraw(request: string, one: InPhase<"to_withdraw">): Promise<void> {
    const { service, again } = this.#options;
    const { ask, reason, settled } = one;
    // The sweep finds its name, or that it is not there.
    if (ask === undefined) return again("sweep");
    let known: KnownAsk | undefined;
    try {
      known = await service.call("withdraw", { ask, reason, note_answer: settled }, knownAsk);
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
    // It crossed with what closed the request: a person believes to have decided it.
    if (!settled && known?.state === "answered" && known.ref === request && known.answer !== undefined) {
      this.#onCrossedAnswer(request, one, ask, known.answer);
    } else this.#remove(request);
  }

  /** All that the service has of this log and that is not settled, ours and what the last agentd left. */
  async sweep(): Promise<void> {
    const { service, tracked, source, label } = this.#options;
    const seen = new Set<string>();
    const from = { source, label, noted: false };
    const pages = pagesOf({
      read: (after: string | undefined) =>
        service.call("list", after === undefined ? from : { ...from, after }, listReply),
      next: (page) => (page.more ? page.asks.at(-1)?.ask : undefined),
      pagesMax: sweepPagesMax,
    });
    for await (const page of pages) {
      for (const known of page.asks) {
        seen.add(known.ref);
        this.#sweepOne(known);
      }
    }
    for (const [request, one] of tracked) {
      if (seen.has(request)) continue;
      // The service has lost it, or never got it.
      if (one.phase === "asked") this.#askAnew(request, one);
      if (one.phase === "to_withdraw" && one.ask === undefined) this.#remove(request);
    }
  }

  #sweepOne(known: KnownAsk): void {
    const { tracked } = this.#options;
    const { ask, ref: request } = known;
    const one = tracked.get(request);
    switch (one?.phase) {
      case "asked":
        return this.#onKnownAsk(request, one, known);
      case "to_withdraw":
        if (one.ask === undefined) tracked.set(request, { ...one, ask });
        return;
      case "to_ask":
      case "told":
      case "refused":
        return;
      case undefined:
        return this.#adoptOrphan(known);
    }
  }

  /** No open request stands behind it: an agentd died over it, or could not take it back. */
  #adoptOrphan({ ask, ref: request, state, answer }: KnownAsk): void {
    const session = sessionOfRequest(request);
    if (session === undefined) return;
    if (state === "answered" && answer !== undefined) this.#settle(request, session, ask, answer);
    else this.#options.tracked.set(request, { session, phase: "to_withdraw", ask, reason: "restart", settled: false });
  }

  /** Where the question was to be asked anew, its session is told that a person has answered the edition before. */
  #onCrossedAnswer(request: string, { session, question }: InPhase<"to_withdraw">, ask: string, answer: Answer): void {
    const { tracked, again } = this.#options;
    const now = tracked.get(request);
    if (now?.phase !== "to_withdraw" || now.next === undefined) return this.#settle(request, session, ask, answer);
    tracked.set(request, { ...now, settled: true });
    this.#post(request, session, question, answer);
    again("round");
  }

  #remove(request: string): void {
    if (this.#options.tracked.remove(request)) this.#options.again("round");
  }

  /** An answer behind which no open request stands is told once, by the log's word, and then taken note of. */
  #settle(request: string, session: string, ask: string, answer: Answer): void {
    const { tracked, answerStatus, again } = this.#options;
    if (answerStatus(session, request) === "unused") this.#postOnce(request, session, ask, undefined, answer);
    else tracked.set(request, { session, phase: "to_withdraw", ask, reason: "settled", settled: true });
    again("round");
  }

  /** An end without an answer is none: the request's own time is its session's matter. */
  #onKnownAsk(request: string, one: InPhase<"asked">, known: KnownAsk): void {
    if (this.#options.tracked.get(request) !== one || known.ask !== one.ask || known.ref !== request) return;
    if (known.state !== "answered" || known.answer === undefined) return;
    this.#postOnce(request, one.session, known.ask, one.question, known.answer);
  }

  #postOnce(request: string, session: string, ask: string, question: Question | undefined, answer: Answer): void {
    this.#options.tracked.set(request, { session, phase: "told", question, ask });
    this.#post(request, session, question, answer);
  }

  #post(request: string, session: string, question: Question | undefined, { option, by }: Answer): void {
    const edition = question?.edition ? { edition: question.edition } : {};
    this.#options.post(session, { type: "people_answered", request, option, by, ...edition });
  }

  #onRefused(request: string, session: string, message: string): void {
    const { tracked, post } = this.#options;
    if (tracked.get(request)?.phase !== "to_ask") {
      // Over meanwhile, or another by now: nobody has to know.
      this.#remove(request);
      return;
    }
    tracked.set(request, { session, phase: "refused" });
    post(session, { type: "people_not_asked", request, message });
  }

  #askAnew(request: string, { session, question }: InPhase<"asked">): void {
    this.#options.tracked.set(request, { session, phase: "to_ask", question, tried: true, reported: true });
    this.#options.again("round");
  }
}

/** Of one sweep: whoever serves it may invent asks without end. */
const sweepPagesMax = 1_000;

/** The service will not do it, however often it is asked. */
function isFinal(error: unknown): error is NotifyRefusal {
  return error instanceof NotifyRefusal && error.code !== "BUSY" && error.code !== "STORE_FAILED";
}
