// SPDX-License-Identifier: MIT OR Apache-2.0
// The one way in: every command, every word of an agent and every timer is an input here. A flush decides its inputs,
// appends all their entries in one transaction, and only then lets the new states stand, answers, acts and publishes.
// A commit that fails drops every decision of its flush. Between two commits the event loop has a turn, in which
// questions are answered; where more comes in than is committed, agents are not read until that is over.
import type { Appended } from "../../log/append.ts";
import { LogError } from "../../log/log-error.ts";
import type { Log } from "../../log/open.ts";
import type { Failpoint } from "../../failpoint.ts";
import { errorBody } from "../../vocabulary/index.ts";
import type { Context, Effect } from "../core/input.ts";
import { overdueIn } from "../core/requests/open-requests.ts";
import { isLive } from "../core/state.ts";
import type { LiveSessions } from "../live-sessions.ts";
import { type Batch, decideBatch } from "./decide-batch.ts";
import { type Input, isCommanding, type Posted, refusalReply, type SentReply, textOf } from "./posted.ts";
import { Recall, type Repeatable } from "./recall.ts";

export interface MailboxOptions {
  readonly log: Log;
  readonly sessions: LiveSessions;
  readonly context: () => Context;
  /** Entries of one transaction; the rest goes into the next. */
  readonly entriesPerCommitMax: number;
  /** Their texts. */
  readonly bytesPerCommitMax: number;
  /** Beyond it agents are not to be read until half of them are committed. */
  readonly inputsWaitingMax: number;
  /** Whether more waits than is good. */
  readonly pressure: (high: boolean) => void;
  readonly retryMs: number;
  /** How long agents live on while nothing can be logged. */
  readonly failedGraceMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly reply: (reply: SentReply) => void;
  readonly act: (session: string, effects: readonly Effect[]) => void;
  readonly publish: (appended: readonly Appended[]) => void;
  /** The log cannot be written (an error), or can be again (undefined). */
  readonly storeState: (error: LogError | undefined) => void;
  /** The one lane outside of the log: ends an agent (or every one) while nothing can be logged. It is logged later. */
  readonly endUnlogged: (session?: string) => void;
  readonly failpoint: Failpoint;
}

/** Turns of the event loop for which a flush gathers inputs; in each, an agent's pipe gives some 128 KiB. */
const gatheringTurnsMax = 4;

/** What somebody asks for who wants an agent to end. */
const endingVerbs: ReadonlySet<string> = new Set(["agent.session.cancel", "agent.session.close"]);

export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #recall: Recall;
  #waiting: Posted[] = [];
  #stopped = false;
  #pressureIsHigh = false;
  /** Takes the flush that is to come back. */
  #unschedule: (() => void) | undefined;
  /** Takes back the end of all agents that a lasting failure brings. */
  #pardon: (() => void) | undefined;
  #failure: LogError | undefined;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#recall = new Recall(options.log.receipts);
  }

  /** The log could not be written when it was last tried. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Why it could not. */
  get failure(): LogError | undefined {
    return this.#failure;
  }

  /** `life`: of the agent that it comes from. */
  post(session: string, input: Input, life?: number): void {
    if (this.#stopped) return;
    this.#waiting.push({ session, input, ...(life === undefined ? {} : { life }) });
    this.#tellPressure();
    // A caller is told at once that nothing can be logged; what agents say can wait for the next try.
    if (!this.#unschedule || (this.failed && isCommanding(input))) {
      this.#unschedule?.();
      this.#flushSoon(0, 0);
    }
  }

  /** The first reply of a command id that was accepted before; `posted`: it is being worked on and will answer. */
  recall(scope: string, command: Repeatable): SentReply | "posted" | undefined {
    return this.#recall.answer(scope, command);
  }

  /**
   * Ends what people were asked and the clock says is over: whoever looks at a session is not shown a question that nobody
   * can answer any more, because its timer stood still while the machine slept.
   */
  endOverdue(): void {
    // Nothing can be logged: its timer comes again when it can.
    if (this.failed) return;
    const { sessions, context } = this.#options;
    const { now } = context();
    let isAny = false;
    for (const state of sessions.all()) {
      for (const input of overdueIn(state, now)) {
        this.post(state.id, input);
        isAny = true;
      }
    }
    if (isAny) this.flush();
  }

  /** Everything that waits, at once: for a start and an end, where nobody else is to have a turn. */
  flush(): void {
    this.#unschedule?.();
    this.#unschedule = undefined;
    while (this.#waiting.length > 0) {
      if (!this.#flushSome()) return;
    }
  }

  /** One commit; what is left, or has come by then, goes into another after a turn of the event loop. */
  #commitOnce(): void {
    this.#unschedule = undefined;
    if (this.#waiting.length === 0 || !this.#flushSome()) return;
    if (this.#waiting.length > 0 && !this.#unschedule) this.#flushSoon(0, 0);
  }

  #tellPressure(): void {
    const waiting = this.#waiting.length;
    const { inputsWaitingMax, pressure } = this.#options;
    const high = waiting > (this.#pressureIsHigh ? inputsWaitingMax / 2 : inputsWaitingMax);
    if (high === this.#pressureIsHigh) return;
    this.#pressureIsHigh = high;
    pressure(high);
  }

  /** Nothing is taken or flushed any more; the log is about to be closed. */
  stop(): void {
    this.#stopped = true;
    this.#unschedule?.();
    this.#pardon?.();
    this.#waiting = [];
  }

  /**
   * Flushes when a turn of the event loop has brought nothing more, or the cap is reached: what pipes hold already goes
   * into one transaction, since each costs the disk's whole latency. No timer: a turn with nothing to read is over at once.
   */
  #flushSoon(turns: number, before: number): void {
    const immediate = setImmediate(() => {
      const waiting = this.#waiting.length;
      const more = waiting > before && waiting < this.#options.entriesPerCommitMax && turns < gatheringTurnsMax;
      if (more) this.#flushSoon(turns + 1, waiting);
      else this.#commitOnce();
    });
    this.#unschedule = () => clearImmediate(immediate);
  }

  #flushSome(): boolean {
    const {
      log,
      sessions,
      context,
      failpoint,
      entriesPerCommitMax: entriesMax,
      bytesPerCommitMax: bytesMax,
    } = this.#options;
    const recall = this.#recall;
    const batch = decideBatch(this.#waiting, { sessions, recall, context: context(), entriesMax, bytesMax });
    const inputs = this.#waiting.slice(0, batch.taken);
    this.#waiting = this.#waiting.slice(batch.taken);
    let appended: readonly Appended[] = [];
    try {
      if (batch.commits.length > 0) {
        failpoint("log.before");
        appended = log.append(batch.commits);
        failpoint("log.after");
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      this.#storeFailed(inputs, batch, error);
      return false;
    }
    if (batch.commits.length > 0) this.#storeWorks();
    this.#settle(batch, appended);
    this.#tellPressure();
    return true;
  }

  /** The commit stands: states, then replies, effects and publication. */
  #settle(batch: Batch, appended: readonly Appended[]): void {
    const { sessions, act, publish, failpoint } = this.#options;
    const reply = (told: SentReply): void => {
      failpoint("reply.before");
      this.#options.reply(told);
      failpoint("reply.after");
    };
    batch.recall.stand();
    for (const state of batch.states.values()) sessions.put(state);
    for (const { told } of batch.recalled) if (told) reply(told);
    for (const told of batch.refusals) reply(told);
    for (const { decision } of batch.decided) for (const told of decision.replies) reply(textOf(told));
    for (const told of batch.recall.late()) reply(told);
    for (const { posted, decision } of batch.decided) act(posted.session, decision.effects);
    if (appended.length > 0) {
      failpoint("publish.before");
      publish(appended);
      failpoint("publish.after");
    }
    sessions.tell(batch.states.keys());
  }

  /**
   * Nothing runs that could not be logged: callers are told, and what agents said waits until it can be written. Who
   * wants an agent to end gets that all the same.
   */
  #storeFailed(inputs: readonly Posted[], batch: Batch, error: LogError): void {
    const { reply, storeState, after, retryMs, failedGraceMs, endUnlogged } = this.#options;
    const recalled = batch.recalled.filter(({ holds }) => holds);
    for (const { told } of recalled) if (told) reply(told);
    const known = new Set(recalled.map(({ caller }) => caller));
    const all = [...inputs, ...this.#waiting];
    this.#waiting = all.filter(({ input }) => !isCommanding(input));
    // Also those behind the batch that failed: what agents had said before them would hold them up for ever.
    for (const posted of all) {
      if (isCommanding(posted.input) && !known.has(posted.input.command.caller)) this.#refuseUnlogged(posted, error);
    }
    this.#failure = error;
    if (!this.#pardon) {
      this.#pardon = after(failedGraceMs, () => endUnlogged());
      storeState(error);
    }
    this.#unschedule = after(retryMs, () => this.#commitOnce());
  }

  #refuseUnlogged(posted: Posted, error: LogError): void {
    const { sessions, reply, endUnlogged } = this.#options;
    const { session, input } = posted;
    const state = sessions.get(session);
    const stopped = isCommanding(input) && endingVerbs.has(input.command.verb) && state !== undefined && isLive(state);
    if (stopped) endUnlogged(session);
    const did = stopped ? "the agent is being ended, and nothing else was run" : "nothing was run";
    const body = errorBody("STORE_FAILED", `the log cannot be written (${error.message}): ${did}`, {
      reason: error.code,
      ...(stopped ? { stopped: true } : {}),
    });
    reply(refusalReply(posted, body));
  }

  #storeWorks(): void {
    if (!this.#pardon) return;
    this.#pardon();
    this.#pardon = undefined;
    this.#failure = undefined;
    this.#options.storeState(undefined);
  }
}
