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
import type { StepContext, Effect } from "../core/input.ts";
import { findOverdue } from "../core/requests/pending-requests.ts";
import { isLive } from "../core/state.ts";
import type { LiveSessions } from "../live-sessions.ts";
import { type Batch, decideBatch } from "./decide-batch.ts";
import {
  type Input,
  isCommandInput,
  type PostedInput,
  toRefusalReply,
  type SentReply,
  toSentReply,
} from "./posted-input.ts";
import { CommandDedup, type DedupKey } from "./command-dedup.ts";

export interface MailboxOptions {
  readonly log: Log;
  readonly sessions: LiveSessions;
  readonly context: () => StepContext;
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
  readonly #dedup: CommandDedup;
  #waiting: PostedInput[] = [];
  #stopped = false;
  #pressureIsHigh = false;
  /** Takes the flush that is to come back. */
  #cancelFlush: (() => void) | undefined;
  /** Takes back the end of all agents that a lasting failure brings. */
  #cancelKillAll: (() => void) | undefined;
  #failure: LogError | undefined;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#dedup = new CommandDedup(options.log.receipts);
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
  post(session: string, input: Input, runSeq?: number): void {
    if (this.#stopped) return;
    this.#waiting.push({ session, input, ...(runSeq === undefined ? {} : { runSeq }) });
    this.#updatePressure();
    // A caller is told at once that nothing can be logged; what agents say can wait for the next try.
    if (!this.#cancelFlush || (this.failed && isCommandInput(input))) {
      this.#cancelFlush?.();
      this.#flushSoon(0, 0);
    }
  }

  /** The first reply of a command id that was accepted before; `posted`: it is being worked on and will answer. */
  findReply(scope: string, command: DedupKey): SentReply | "pending" | undefined {
    return this.#dedup.findReply(scope, command);
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
      for (const input of findOverdue(state, now)) {
        this.post(state.id, input);
        isAny = true;
      }
    }
    if (isAny) this.flush();
  }

  /** Everything that waits, at once: for a start and an end, where nobody else is to have a turn. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    while (this.#waiting.length > 0) {
      if (!this.#flushBatch()) return;
    }
  }

  /** One commit; what is left, or has come by then, goes into another after a turn of the event loop. */
  #commitOnce(): void {
    this.#cancelFlush = undefined;
    if (this.#waiting.length === 0 || !this.#flushBatch()) return;
    if (this.#waiting.length > 0 && !this.#cancelFlush) this.#flushSoon(0, 0);
  }

  #updatePressure(): void {
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
    this.#cancelFlush?.();
    this.#cancelKillAll?.();
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
    this.#cancelFlush = () => clearImmediate(immediate);
  }

  #flushBatch(): boolean {
    const {
      log,
      sessions,
      context,
      failpoint,
      entriesPerCommitMax: entriesMax,
      bytesPerCommitMax: bytesMax,
    } = this.#options;
    const dedup = this.#dedup;
    const batch = decideBatch(this.#waiting, { sessions, dedup, context: context(), entriesMax, bytesMax });
    const inputs = this.#waiting.slice(0, batch.inputCount);
    this.#waiting = this.#waiting.slice(batch.inputCount);
    let appended: readonly Appended[] = [];
    try {
      if (batch.commits.length > 0) {
        failpoint("log.before");
        appended = log.append(batch.commits);
        failpoint("log.after");
      }
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      this.#onStoreFailed(inputs, batch, error);
      return false;
    }
    if (batch.commits.length > 0) this.#onStoreWorks();
    this.#settle(batch, appended);
    this.#updatePressure();
    return true;
  }

  /** The commit stands: states, then replies, effects and publication. */
  #settle(batch: Batch, appended: readonly Appended[]): void {
    const { sessions, act, publish, failpoint } = this.#options;
    const reply = (sent: SentReply): void => {
      failpoint("reply.before");
      this.#options.reply(sent);
      failpoint("reply.after");
    };
    batch.dedup.confirm();
    for (const state of batch.states.values()) sessions.put(state);
    for (const { reply: stored } of batch.repeated) if (stored) reply(stored);
    for (const sent of batch.refusals) reply(sent);
    for (const { decision } of batch.decided) for (const sent of decision.replies) reply(toSentReply(sent));
    for (const sent of batch.dedup.lateReplies()) reply(sent);
    for (const { posted, decision } of batch.decided) act(posted.session, decision.effects);
    if (appended.length > 0) {
      failpoint("publish.before");
      publish(appended);
      failpoint("publish.after");
    }
    sessions.notifyListeners(batch.states.keys());
  }

  /**
   * Nothing runs that could not be logged: callers are told, and what agents said waits until it can be written. Who
   * wants an agent to end gets that all the same.
   */
  #onStoreFailed(inputs: readonly PostedInput[], batch: Batch, error: LogError): void {
    const { reply, storeState, after, retryMs, failedGraceMs, endUnlogged } = this.#options;
    const repeated = batch.repeated.filter(({ isCommitted }) => isCommitted);
    for (const { reply: stored } of repeated) if (stored) reply(stored);
    const known = new Set(repeated.map(({ caller }) => caller));
    const all = [...inputs, ...this.#waiting];
    this.#waiting = all.filter(({ input }) => !isCommandInput(input));
    // Also those behind the batch that failed: what agents had said before them would hold them up for ever.
    for (const posted of all) {
      if (isCommandInput(posted.input) && !known.has(posted.input.command.caller)) this.#refuseUnlogged(posted, error);
    }
    this.#failure = error;
    if (!this.#cancelKillAll) {
      this.#cancelKillAll = after(failedGraceMs, () => endUnlogged());
      storeState(error);
    }
    this.#cancelFlush = after(retryMs, () => this.#commitOnce());
  }

  #refuseUnlogged(posted: PostedInput, error: LogError): void {
    const { sessions, reply, endUnlogged } = this.#options;
    const { session, input } = posted;
    const state = sessions.get(session);
    const stopped =
      isCommandInput(input) && endingVerbs.has(input.command.verb) && state !== undefined && isLive(state);
    if (stopped) endUnlogged(session);
    const did = stopped ? "the agent is being ended, and nothing else was run" : "nothing was run";
    const body = errorBody("STORE_FAILED", `the log cannot be written (${error.message}): ${did}`, {
      reason: error.code,
      ...(stopped ? { stopped: true } : {}),
    });
    reply(toRefusalReply(posted, body));
  }

  #onStoreWorks(): void {
    if (!this.#cancelKillAll) return;
    this.#cancelKillAll();
    this.#cancelKillAll = undefined;
    this.#failure = undefined;
    this.#options.storeState(undefined);
  }
}
