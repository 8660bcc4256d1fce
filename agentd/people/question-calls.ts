// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls to the service `notify` for a tracked question, one at a time. The question may end during a call, so each
// call checks afterwards what is tracked now. All throw BusError, LogError, and NotifyRefusal if a retry may help.
import { paginate } from "../../bus-client/index.ts";
import type { SessionInput } from "../session/core/input.ts";
import { sessionOfRequest } from "../session/session-id.ts";
import type { AnswerStatus } from "./answer-status.ts";
import { askedReply, type KnownAsk, knownAsk, listReply, NotifyRefusal, type NotifyService } from "./notify-service.ts";
import type { InPhase, Question, TrackedQuestions } from "./tracked-questions.ts";

export interface QuestionCallsOptions {
  readonly service: NotifyService;
  readonly tracked: TrackedQuestions;
  /** Our name on the Bus, by which the service knows us. */
  readonly source: string;
  readonly label: string;
  readonly post: (session: string, input: SessionInput) => void;
  readonly answerStatus: (session: string, request: string) => AnswerStatus;
  /** Requests another round. `sweep`: also compares all asks of the service with the tracked ones. */
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
      // An older notify does not know this argument.
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
    // Asked in an earlier attempt, and answered already.
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
    // The sweep finds its ask id, or that the service does not have it.
    if (ask === undefined) return again("sweep");
    let known: KnownAsk | undefined;
    try {
      known = await service.call("withdraw", { ask, reason, note_answer: settled }, knownAsk);
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
    // A person answered while the request was being resolved otherwise, and believes to have decided it.
    if (!settled && known?.state === "answered" && known.ref === request && known.answer !== undefined) {
      this.#onCrossedAnswer(request, one, ask, known.answer);
    } else this.#remove(request);
  }

  /** Compares all unsettled asks of this log, also those of an earlier agentd, with the tracked questions. */
  async sweep(): Promise<void> {
    const { service, tracked, source, label } = this.#options;
    const seen = new Set<string>();
    const from = { source, label, noted: false };
    const pages = paginate({
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
      // The service lost it or never received it.
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
      case "posted":
      case "refused":
        return;
      case undefined:
        return this.#adoptOrphan(known);
    }
  }

  /** Settles or withdraws an ask without a pending request: an earlier agentd died or could not withdraw it. */
  #adoptOrphan({ ask, ref: request, state, answer }: KnownAsk): void {
    const session = sessionOfRequest(request);
    if (session === undefined) return;
    if (state === "answered" && answer !== undefined) this.#settle(request, session, ask, answer);
    else this.#options.tracked.set(request, { session, phase: "to_withdraw", ask, reason: "restart", settled: false });
  }

  /** If a next edition is to be asked, posts the answer as one to the previous edition. */
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

  /** Posts an answer without a pending request unless the log has it, then marks the ask as noted. */
  #settle(request: string, session: string, ask: string, answer: Answer): void {
    const { tracked, answerStatus, again } = this.#options;
    if (answerStatus(session, request) === "unused") this.#postOnce(request, session, ask, undefined, answer);
    else tracked.set(request, { session, phase: "to_withdraw", ask, reason: "settled", settled: true });
    again("round");
  }

  /** Ignores an ask that ended without an answer: the session itself times its requests out. */
  #onKnownAsk(request: string, one: InPhase<"asked">, known: KnownAsk): void {
    if (this.#options.tracked.get(request) !== one || known.ask !== one.ask || known.ref !== request) return;
    if (known.state !== "answered" || known.answer === undefined) return;
    this.#postOnce(request, one.session, known.ask, one.question, known.answer);
  }

  #postOnce(request: string, session: string, ask: string, question: Question | undefined, answer: Answer): void {
    this.#options.tracked.set(request, { session, phase: "posted", question, ask });
    this.#post(request, session, question, answer);
  }

  #post(request: string, session: string, question: Question | undefined, { option, by }: Answer): void {
    const edition = question?.edition ? { edition: question.edition } : {};
    this.#options.post(session, { type: "people_answered", request, option, by, ...edition });
  }

  #onRefused(request: string, session: string, message: string): void {
    const { tracked, post } = this.#options;
    if (tracked.get(request)?.phase !== "to_ask") {
      // The question has ended or changed meanwhile, so the refusal does not matter.
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

/** Pages of one sweep, since a faulty service may list asks without end. */
const sweepPagesMax = 1_000;

/** Whether the service would refuse a retry as well. */
function isFinal(error: unknown): error is NotifyRefusal {
  return error instanceof NotifyRefusal && error.code !== "BUSY" && error.code !== "STORE_FAILED";
}
