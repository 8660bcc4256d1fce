// SPDX-License-Identifier: MIT OR Apache-2.0
// The prompts that the editor sends to one session: one at a time, and one more that waits for a cancelled one.
import { setImmediate } from "node:timers/promises";
import type { Entry, TurnEntry } from "../../agentd/vocabulary/entries.ts";
import type { PromptReply } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { Clock } from "../../bus-client/index.ts";
import type { Meta, Prompt, PromptResult } from "../agent-side/agent.ts";
import { authenticationRequired, turnIsRunning } from "../face-error.ts";
import type { SessionUpdate } from "../mapping/update.ts";
import { turnOutcome } from "../mapping/turn-outcome.ts";
import { aborted } from "./aborted.ts";

export interface PromptTurnsOptions {
  readonly clock: Clock;
  readonly newCommandId: () => string;
  /** Sends the prompt in its place among the session's commands; undefined if `isWanted` is false by then. */
  readonly send: (
    prompt: Prompt,
    about: { readonly commandId: string; readonly isWanted: () => boolean },
  ) => Promise<PromptReply | undefined>;
  readonly sendCancel: (turn: number) => Promise<unknown>;
  /** Whether agentd still has the turn. */
  readonly isRunning: (turn: number) => Promise<boolean>;
  /** The editor has cancelled: its open dialogs are to be withdrawn. */
  readonly onCancel: () => void;
  /** What closes a turn's open tool calls in the editor. */
  readonly closeOpenCalls: (turn: number) => readonly SessionUpdate[];
  readonly write: (updates: readonly SessionUpdate[]) => void;
  /** Members of `_meta.agentd` in the reply, if the editor asked for ids. */
  readonly idsOf: (turn: number) => Meta | undefined;
}

/** After this time a prompt whose cancel the agent ignores is answered. */
const cancelMsMax = 10_000;
/** After so long without an entry agentd is asked whether the turn still runs. */
const silenceMsMax = 120_000;
const cancelled: PromptResult = { stopReason: "cancelled" };

export class PromptTurns {
  readonly #options: PromptTurnsOptions;
  #current: Turn | undefined;
  #hasWaiting = false;
  /** The turn in which the agent has last written text. */
  #turnWithText: number | undefined;
  #keepsRunning = false;

  constructor(options: PromptTurnsOptions) {
    this.#options = options;
  }

  async prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResult> {
    const current = this.#current;
    if (current !== undefined) {
      if (!current.isCancelled || this.#hasWaiting) throw turnIsRunning();
      this.#hasWaiting = true;
      await Promise.race([current.result.catch(() => {}), aborted(signal)]);
      this.#hasWaiting = false;
    }
    if (signal.aborted) return cancelled;
    const turn = new Turn(this.#options.newCommandId(), this.#options.clock.now());
    this.#current = turn;
    const onAbort = (): void => this.#cancel(turn);
    signal.addEventListener("abort", onAbort);
    try {
      this.#send(turn, prompt);
      this.#watch(turn);
      return await turn.result;
    } finally {
      signal.removeEventListener("abort", onAbort);
      turn.stopTimer();
      turn.stopWatching();
      if (this.#current === turn) this.#current = undefined;
    }
  }

  /** Whether this entry belongs to a turn that was begun here. To be called for each entry, in order. */
  isOwn(entry: Entry): boolean {
    const turn = this.#current;
    if (entry.kind === "message" && entry.role === "agent") this.#turnWithText = entry.turn;
    if (turn === undefined) return false;
    turn.seenAt = this.#options.clock.now();
    if (entry.kind === "command") turn.isNext = entry.command_id === turn.commandId;
    // The turn's first entries stand in the commit of its command, which can come before the reply.
    if (turn.isNext && entry.turn !== undefined && entry.kind !== "command") this.#number(turn, entry.turn);
    return turn.number !== undefined && turn.number === entry.turn;
  }

  /** Ends the prompt whose turn has ended. To be called when all before it is written. */
  ended(entry: Entry): void {
    const turn = this.#current;
    if (turn === undefined || entry.kind !== "turn" || entry.phase !== "ended") return;
    if (turn.number === entry.turn) this.#finish(turn, entry);
    else if (turn.number === undefined) turn.endedBefore.push(entry);
  }

  /** Answers the open prompt with an error: its end will not be seen. */
  fail(error: unknown): void {
    this.#current?.reject(error);
  }

  /**
   * The editor is gone: its open prompt is cancelled in agentd, unless the turn is to go on, and answered. To be called
   * right before the prompts' signals are aborted.
   */
  async end({ keepsRunning }: { readonly keepsRunning: boolean }): Promise<void> {
    this.#keepsRunning = keepsRunning;
    await setImmediate();
    const turn = this.#current;
    if (turn === undefined) return;
    await Promise.race([turn.cancelSent, turn.result.catch(() => {})]);
    turn.resolve(cancelled);
  }

  /** Ends the prompt of a turn that agentd does not have any more, as when its entries were purged. */
  #watch(turn: Turn): void {
    const { clock, isRunning } = this.#options;
    const left = turn.seenAt + silenceMsMax - clock.now();
    turn.stopWatching = clock.after(left > 0 ? left : silenceMsMax, () => {
      const { number } = turn;
      if (number === undefined || clock.now() < turn.seenAt + silenceMsMax) return this.#watch(turn);
      isRunning(number).then(
        (runs) => (runs ? this.#watch(turn) : turn.resolve({ stopReason: "end_turn" })),
        () => this.#watch(turn),
      );
    });
  }

  #send(turn: Turn, prompt: Prompt): void {
    const isWanted = (): boolean => {
      turn.isSent = !turn.isCancelled;
      return turn.isSent;
    };
    this.#options
      .send(prompt, { commandId: turn.commandId, isWanted })
      .then((reply) => {
        if (reply === undefined) return turn.resolve(cancelled);
        if (!Number.isSafeInteger(reply.turn))
          return turn.reject(new AgentError("BAD_GATEWAY_REPLY", "internal error"));
        this.#number(turn, reply.turn);
      })
      .catch(turn.reject);
  }

  #number(turn: Turn, number: number): void {
    turn.isNext = false;
    if (turn.number !== undefined) return;
    turn.number = number;
    const ended = turn.endedBefore.find((entry) => entry.turn === number);
    if (ended !== undefined) this.#finish(turn, ended);
    else if (turn.isCancelled) this.#cancelInAgentd(turn, number);
  }

  #cancel(turn: Turn): void {
    turn.isCancelled = true;
    this.#options.onCancel();
    if (this.#keepsRunning || !turn.isSent) return turn.resolve(cancelled);
    if (turn.number !== undefined) this.#cancelInAgentd(turn, turn.number);
    turn.stopTimer = this.#options.clock.after(cancelMsMax, () => {
      if (turn.number !== undefined) this.#options.write(this.#options.closeOpenCalls(turn.number));
      turn.resolve(cancelled);
    });
  }

  #cancelInAgentd(turn: Turn, number: number): void {
    if (this.#keepsRunning) return;
    // A turn that has ended meanwhile needs no cancel, and one that cannot be cancelled is answered when time is up.
    void this.#options
      .sendCancel(number)
      .catch(() => {})
      .finally(turn.onCancelSent);
  }

  #finish(turn: Turn, entry: TurnEntry): void {
    const outcome = turnOutcome(entry);
    if ("authRequired" in outcome) return turn.reject(authenticationRequired(outcome.authRequired.message));
    const { stopReason, text, failure, usage } = outcome;
    if (text !== undefined && this.#turnWithText !== entry.turn) this.#options.write([failureText(entry.turn, text)]);
    const agentd = { ...(failure && { turn_failure: failure }), ...this.#options.idsOf(entry.turn) };
    turn.resolve({
      stopReason,
      ...(usage && { usage }),
      ...(Object.keys(agentd).length > 0 && { meta: { agentd } }),
    });
  }
}

class Turn {
  readonly commandId: string;
  readonly result: Promise<PromptResult>;
  number: number | undefined;
  isSent = false;
  isCancelled = false;
  /** When an entry came last, or when it began. */
  seenAt: number;
  /** The entries that follow are those of its command. */
  isNext = false;
  /** Turns that ended before the number of this one was known. */
  readonly endedBefore: TurnEntry[] = [];
  readonly cancelSent: Promise<void>;
  onCancelSent: () => void = () => {};
  stopTimer = (): void => {};
  stopWatching = (): void => {};
  resolve: (result: PromptResult) => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor(commandId: string, now: number) {
    this.commandId = commandId;
    this.seenAt = now;
    this.cancelSent = new Promise((resolve) => (this.onCancelSent = resolve));
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

function failureText(turn: number, text: string): SessionUpdate {
  const content = { type: "text", text } as const;
  return { sessionUpdate: "agent_message_chunk", messageId: `t${turn}-failure`, content };
}
