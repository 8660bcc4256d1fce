// SPDX-License-Identifier: MIT OR Apache-2.0
// The one way in: every command, every word of an agent and every timer is an input here. A flush decides its inputs
// on speculative states, appends all their entries in one transaction, and only then lets the new states stand,
// answers, acts and publishes. A commit that fails drops every decision of its flush.
import type { Appended, Commit } from "../log/append.ts";
import type { Log } from "../log/open.ts";
import { LogError } from "../log/log-error.ts";
import { type ErrorBody, errorBody } from "../vocabulary/index.ts";
import { refuse } from "./draft.ts";
import type { Context, Decision, Effect } from "./input.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { Recall } from "./recall.ts";
import { startSession } from "./start.ts";
import { type Input, isCommanding, type Posted, refusalReply, type SentReply, textOf } from "./posted.ts";
import type { SessionState } from "./state.ts";
import { isLive } from "./state.ts";
import { step } from "./step.ts";

export interface MailboxOptions {
  readonly log: Log;
  readonly sessions: LiveSessions;
  readonly context: () => Context;
  /** Entries of one transaction; a flush goes on with the rest in the next. */
  readonly entriesPerCommitMax: number;
  readonly retryMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly reply: (reply: SentReply) => void;
  readonly act: (session: string, effects: readonly Effect[]) => void;
  readonly publish: (appended: readonly Appended[]) => void;
  /** The log cannot be written (an error), or can be again (undefined). */
  readonly storeState: (error: LogError | undefined) => void;
}

interface Decided {
  readonly posted: Posted;
  readonly decision: Exclude<Decision, { refusal: ErrorBody }>;
}

/** Turns of the event loop for which a flush gathers inputs; in each, an agent's pipe gives at most 2 MiB. */
const gatheringTurnsMax = 4;

export class Mailbox {
  readonly #options: MailboxOptions;
  #waiting: Posted[] = [];
  /** Takes the flush that is to come back. */
  #unschedule: (() => void) | undefined;
  #failed = false;
  readonly #recall: Recall;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#recall = new Recall(options.log.receipts);
  }

  post(session: string, input: Input): void {
    this.#waiting.push({ session, input });
    if (!this.#unschedule) this.#flushSoon(0, 0);
  }

  /** The first reply of a command id that was accepted before; `posted`: it is being worked on and will answer. */
  recall(
    scope: string,
    verb: string,
    args: Readonly<Record<string, unknown>>,
    caller: number,
  ): SentReply | "posted" | undefined {
    return this.#recall.answer(scope, verb, args, caller);
  }

  /** Everything that waits, in as few transactions as the caps allow. */
  flush(): void {
    this.#unschedule?.();
    this.#unschedule = undefined;
    while (this.#waiting.length > 0) {
      if (!this.#flushSome()) return;
    }
  }

  /** Nothing is flushed any more; the log is about to be closed. */
  stop(): void {
    this.#unschedule?.();
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
      else this.flush();
    });
    this.#unschedule = () => clearImmediate(immediate);
  }

  #flushSome(): boolean {
    const { log, sessions, entriesPerCommitMax } = this.#options;
    const speculative = new Map<string, SessionState>();
    const decided: Decided[] = [];
    const replies: SentReply[] = [];
    const commits: Commit[] = [];
    const batch = this.#recall.batch();
    const context = this.#options.context();
    let taken = 0;
    let entries = 0;
    for (const posted of this.#waiting) {
      if (entries >= entriesPerCommitMax) break;
      taken += 1;
      const recalled = batch.lookUp(posted);
      if (recalled) {
        if (recalled !== "posted") replies.push(recalled);
        continue;
      }
      const decision = this.#decide(posted, speculative, context);
      if (decision === undefined) continue;
      if (decision.refusal) {
        replies.push(refusalReply(posted, decision.refusal));
        continue;
      }
      const before = (speculative.get(posted.session) ?? sessions.get(posted.session))?.seq ?? 0;
      speculative.set(posted.session, decision.state);
      decided.push({ posted, decision });
      entries += decision.entries.length;
      const commit = batch.commit(posted, before, decision);
      if (commit) commits.push(commit);
    }
    const inputs = this.#waiting.slice(0, taken);
    this.#waiting = this.#waiting.slice(taken);
    let appended: readonly Appended[] = [];
    try {
      if (commits.length > 0) appended = log.append(commits);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      this.#storeFailed(inputs, error);
      return false;
    }
    if (this.#failed && commits.length > 0) {
      this.#failed = false;
      this.#options.storeState(undefined);
    }
    batch.stand();
    for (const [, state] of speculative) sessions.put(state);
    for (const reply of replies) this.#options.reply(reply);
    for (const { decision } of decided) for (const reply of decision.replies) this.#options.reply(textOf(reply));
    for (const reply of batch.late()) this.#options.reply(reply);
    for (const { posted, decision } of decided) this.#options.act(posted.session, decision.effects);
    if (appended.length > 0) this.#options.publish(appended);
    sessions.tell(speculative.keys());
    return true;
  }

  #decide(
    { session, input }: Posted,
    speculative: ReadonlyMap<string, SessionState>,
    context: Context,
  ): Decision | undefined {
    const { sessions } = this.#options;
    if (input.type === "start") {
      const refusal = whyNoMoreLive(input.session.name, input.maxSessions, liveStates(sessions, speculative));
      return refusal ? { refusal } : startSession(input.command, input.session, context);
    }
    const state = speculative.get(session) ?? sessions.get(session);
    if (!state) return isCommanding(input) ? refuse("SESSION_UNKNOWN", "no such session", { session }) : undefined;
    if (input.type === "resume" && !isLive(state)) {
      const refusal = whyNoMoreLive(state.name, input.maxSessions, liveStates(sessions, speculative));
      if (refusal) return { refusal };
    }
    return step(state, input, context);
  }

  /** Nothing runs that could not be logged: callers are told, and what agents said waits until it can be written. */
  #storeFailed(inputs: readonly Posted[], error: LogError): void {
    const kept: Posted[] = [];
    for (const posted of inputs) {
      if (!isCommanding(posted.input)) kept.push(posted);
      else {
        const refusal = errorBody("STORE_FAILED", `the log cannot be written (${error.message}): nothing was run`);
        this.#options.reply(refusalReply(posted, refusal));
      }
    }
    this.#waiting = [...kept, ...this.#waiting];
    if (!this.#failed) this.#options.storeState(error);
    this.#failed = true;
    this.#unschedule = this.#options.after(this.#options.retryMs, () => this.flush());
  }
}

function* liveStates(sessions: LiveSessions, speculative: ReadonlyMap<string, SessionState>): Generator<SessionState> {
  for (const state of sessions.all()) if (!speculative.has(state.id) && isLive(state)) yield state;
  for (const state of speculative.values()) if (isLive(state)) yield state;
}

function whyNoMoreLive(
  name: string | undefined,
  maxSessions: number,
  live: Iterable<SessionState>,
): ErrorBody | undefined {
  let count = 0;
  for (const state of live) {
    count += 1;
    if (name !== undefined && (state.name === name || state.id === name)) {
      return errorBody("ARGUMENT", `a live session is named "${name}" already`, { field: "name", session: state.id });
    }
  }
  if (count < maxSessions) return undefined;
  return errorBody("AGENT_LIMIT", `${count} sessions live: close one, or raise max_sessions`, {
    max_sessions: maxSessions,
  });
}
