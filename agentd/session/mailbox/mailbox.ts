// SPDX-License-Identifier: MIT OR Apache-2.0
// The only way into a session: commands, agent events and timers are all inputs here. A flush decides its inputs,
// appends their entries in one transaction, and then stores the new states, replies, runs effects and publishes. If the
// commit fails, every decision of the flush is dropped. The event loop gets a turn between two commits, so that queries
// are served. When inputs come faster than they are committed, agents are not read.
import type { Limits } from "../../config/limits.ts";
import type { Appended } from "../../log/append.ts";
import { LogError } from "../../log/log-error.ts";
import type { Log } from "../../log/open.ts";
import type { Failpoint } from "../../failpoint.ts";
import { errorBody } from "../../vocabulary/index.ts";
import type { StepContext, Effect } from "../core/input.ts";
import { findOverdue } from "../core/requests/request-life.ts";
import { isLive } from "../core/state.ts";
import type { LiveSessions } from "../live-sessions.ts";
import { type Batch, type Decided, decideBatch } from "./decide-batch.ts";
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
  readonly limits: Pick<
    Limits,
    "entriesPerCommitMax" | "commitBytesMax" | "inputsWaitingMax" | "storeRetryMs" | "storeFailedGraceMs"
  >;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly failpoint: Failpoint;
}

/** The callbacks of a mailbox. Most of their owners post to it, so they are created after it and given to `start`. */
export interface MailboxHooks {
  readonly context: () => StepContext;
  readonly reply: (reply: SentReply) => void;
  readonly act: (session: string, effects: readonly Effect[]) => void;
  readonly publish: (appended: readonly Appended[]) => void;
  /**
   * The place to count or watch what happens: called once for each committed batch, after everything else, with its
   * decisions in order. An error goes to `onError` and nowhere else.
   */
  readonly onCommitted: (decided: readonly Decided[]) => void;
  readonly onError: (error: unknown) => void;
  /** Reports that more inputs wait than `inputsWaitingMax`, or no longer do. */
  readonly pressure: (high: boolean) => void;
  /** Reports that the log cannot be written (an error), or can be again (undefined). */
  readonly storeState: (error: LogError | undefined) => void;
  /** Ends one agent, or every agent, while nothing can be logged: the only action that is logged afterwards. */
  readonly endUnlogged: (session?: string) => void;
}

/** `runSeq`: the run of the agent that the input comes from; the input is ignored in any other run. */
export type PostInput = (session: string, input: Input, runSeq?: number) => void;

/** Most turns of the event loop in which a flush gathers inputs. Each brings about 128 KiB from an agent's pipe. */
const gatheringTurnsMax = 4;

/** Commands that end the agent even when they cannot be logged. */
const endingVerbs: ReadonlySet<string> = new Set(["agent.session.cancel", "agent.session.close"]);

export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #dedup: CommandDedup;
  #hooks: MailboxHooks | undefined;
  #waiting: PostedInput[] = [];
  #stopped = false;
  #pressureIsHigh = false;
  /** Cancels the scheduled flush. */
  #cancelFlush: (() => void) | undefined;
  /** Cancels the kill-all timer, which is armed while the log cannot be written. */
  #cancelKillAll: (() => void) | undefined;
  #failure: LogError | undefined;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#dedup = new CommandDedup(options.log.receipts);
  }

  /** Call it once, before the next turn of the event loop: what is posted meanwhile waits. */
  start(hooks: MailboxHooks): void {
    this.#hooks = hooks;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** The error of the last commit, if it failed. */
  get failure(): LogError | undefined {
    return this.#failure;
  }

  readonly post: PostInput = (session, input, runSeq) => {
    if (this.#stopped) return;
    this.#waiting.push({ session, input, ...(runSeq === undefined ? {} : { runSeq }) });
    this.#updatePressure();
    // A caller is told at once that the log cannot be written; what agents send waits for the next try.
    if (!this.#cancelFlush || (this.failed && isCommandInput(input))) {
      this.#cancelFlush?.();
      this.#flushSoon(0, 0);
    }
  };

  /** Returns the stored reply for a repeated command id, or "pending" while the original is in flight. */
  findReply(scope: string, command: DedupKey): SentReply | "pending" | undefined {
    return this.#dedup.findReply(scope, command);
  }

  /** Ends overdue requests whose timers are late because the machine slept, before anyone is shown them. */
  endOverdue(): void {
    // Nothing can be logged now. The timer fires again later.
    if (this.failed) return;
    const { now } = this.#started.context();
    let isAny = false;
    for (const state of this.#options.sessions.all()) {
      for (const input of findOverdue(state, now)) {
        this.post(state.id, input);
        isAny = true;
      }
    }
    if (isAny) this.flush();
  }

  /** Commits all waiting inputs synchronously, for start-up and shutdown. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    while (this.#waiting.length > 0) {
      if (!this.#flushBatch()) return;
    }
  }

  /** Commits once and leaves the rest for the next turn of the event loop. */
  #commitOnce(): void {
    this.#cancelFlush = undefined;
    if (this.#waiting.length === 0 || !this.#flushBatch()) return;
    if (this.#waiting.length > 0 && !this.#cancelFlush) this.#flushSoon(0, 0);
  }

  #updatePressure(): void {
    const waiting = this.#waiting.length;
    const { inputsWaitingMax } = this.#options.limits;
    const high = waiting > (this.#pressureIsHigh ? inputsWaitingMax / 2 : inputsWaitingMax);
    if (high === this.#pressureIsHigh) return;
    this.#pressureIsHigh = high;
    this.#started.pressure(high);
  }

  /** Drops all waiting inputs and takes no more. Call it before the log is closed. */
  stop(): void {
    this.#stopped = true;
    this.#cancelFlush?.();
    this.#cancelKillAll?.();
    this.#waiting = [];
  }

  /**
   * Flushes when a turn of the event loop brings no more inputs or the limit is reached: a transaction costs a full
   * disk sync, so what the pipes already hold shares one. Needs no timer, because a turn with nothing to read ends at
   * once.
   */
  #flushSoon(turns: number, before: number): void {
    const immediate = setImmediate(() => {
      const waiting = this.#waiting.length;
      const more = waiting > before && waiting < this.#options.limits.entriesPerCommitMax && turns < gatheringTurnsMax;
      if (more) this.#flushSoon(turns + 1, waiting);
      else this.#commitOnce();
    });
    this.#cancelFlush = () => clearImmediate(immediate);
  }

  get #started(): MailboxHooks {
    if (!this.#hooks) throw new Error("the mailbox was not started");
    return this.#hooks;
  }

  #flushBatch(): boolean {
    const { log, sessions, failpoint, limits } = this.#options;
    const context = this.#started.context();
    const batch = decideBatch(this.#waiting, { sessions, dedup: this.#dedup, context, limits });
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

  /** After the commit: stores states, then replies, runs effects and publishes. */
  #settle(batch: Batch, appended: readonly Appended[]): void {
    const { sessions, failpoint } = this.#options;
    const { act, publish, ...hooks } = this.#started;
    const reply = (sent: SentReply): void => {
      failpoint("reply.before");
      hooks.reply(sent);
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
    if (appended.length > 0) this.#tellCommitted(batch.decided);
  }

  #tellCommitted(decided: readonly Decided[]): void {
    const { onCommitted, onError } = this.#started;
    try {
      onCommitted(decided);
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Refuses commands, keeps the agents' inputs for a retry, and runs nothing that was not logged. A cancel or close
   * ends its agent all the same.
   */
  #onStoreFailed(inputs: readonly PostedInput[], batch: Batch, error: LogError): void {
    const { after, limits } = this.#options;
    const { reply, storeState, endUnlogged } = this.#started;
    const repeated = batch.repeated.filter(({ isCommitted }) => isCommitted);
    for (const { reply: stored } of repeated) if (stored) reply(stored);
    const known = new Set(repeated.map(({ caller }) => caller));
    const all = [...inputs, ...this.#waiting];
    this.#waiting = all.filter(({ input }) => !isCommandInput(input));
    // Includes commands behind the failed batch, which would otherwise wait for the agents' inputs before them.
    for (const posted of all) {
      if (isCommandInput(posted.input) && !known.has(posted.input.command.caller)) this.#refuseUnlogged(posted, error);
    }
    this.#failure = error;
    if (!this.#cancelKillAll) {
      this.#cancelKillAll = after(limits.storeFailedGraceMs, () => endUnlogged());
      storeState(error);
    }
    this.#cancelFlush = after(limits.storeRetryMs, () => this.#commitOnce());
  }

  #refuseUnlogged(posted: PostedInput, error: LogError): void {
    const { reply, endUnlogged } = this.#started;
    const { session, input } = posted;
    const state = this.#options.sessions.get(session);
    const stopped =
      isCommandInput(input) && endingVerbs.has(input.command.verb) && state !== undefined && isLive(state);
    if (stopped) endUnlogged(session);
    const did = stopped ? "the agent is being stopped, and nothing else was run" : "nothing was run";
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
    this.#started.storeState(undefined);
  }
}
