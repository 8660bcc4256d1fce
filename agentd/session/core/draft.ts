// SPDX-License-Identifier: MIT OR Apache-2.0
// A decision in progress: a copy of the state that the rules change, and the entries, effects and replies so far.
import type { EntryContent, SessionPhase } from "../../vocabulary/entries.ts";
import { errorBody, type ErrorCode } from "../../vocabulary/errors.ts";
import type { Command, StepContext, Decision, Effect, NewReceiptAnswer, RefusedDecision, Reply } from "./input.ts";
import { type PendingCommand, phaseOf, type SessionState } from "./state.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class Draft {
  readonly state: Writable<SessionState>;
  /** The phase that the log shows. */
  #loggedPhase: SessionPhase;
  readonly context: StepContext;
  readonly entries: EntryContent[] = [];
  readonly effects: Effect[] = [];
  readonly replies: Reply[] = [];
  receipt: NewReceiptAnswer | undefined;
  readonly answers: Required<NewReceiptAnswer>[] = [];

  constructor(state: SessionState, context: StepContext) {
    this.state = { ...state };
    this.#loggedPhase = phaseOf(state);
    this.context = context;
  }

  /** Adds an entry and returns its seq. */
  add(entry: EntryContent): number {
    this.entries.push(entry);
    if (entry.kind === "state") this.#loggedPhase = entry.state;
    this.state.seq += 1;
    return this.state.seq;
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Arms the idle timer. Call it when no turn runs, no prompt is queued and no request is pending. */
  armIdle(): void {
    const { idleTimeoutMs } = this.context.settings;
    if (idleTimeoutMs !== null) this.effect({ type: "arm", timer: "idle", key: "", afterMs: idleTimeoutMs });
    if (this.state.left !== null) this.armLeft();
  }

  /** Arms the timer after which a session is closed that its editors have left. */
  armLeft(): void {
    this.effect({ type: "arm", timer: "left", key: "", afterMs: this.context.limits.leftSessionMs });
  }

  /** Adds the `command` entry that every acting command has, and returns its seq. */
  command(command: Command): number {
    return this.add({
      kind: "command",
      verb: command.verb,
      ...commandIdMember(commandIdOf(command.args)),
      by: command.by,
      origin: command.origin,
      args: command.redactedArgs,
    });
  }

  /** Replies to a command at once, after the state that it changed, and stores the receipt with this reply for retries. */
  accept(command: Command, seq: number, members: Readonly<Record<string, unknown>>): void {
    const commandId = commandIdOf(command.args);
    const id = commandIdMember(commandId);
    const body = { ...id, session: this.state.id, seq, ...members };
    this.emitState();
    this.add({ kind: "reply", verb: command.verb, ...id, command_seq: seq, rc: 0, body });
    if (commandId !== undefined) this.receipt = { commandId, seq, answer: { rc: 0, body } };
    this.replies.push({ caller: command.caller, rc: 0, body });
  }

  /** Accepts a command whose reply follows on completion. */
  postpone(command: Command, seq: number): void {
    const commandId = commandIdOf(command.args);
    const { verb, caller } = command;
    const id = commandId === undefined ? {} : { commandId };
    this.state.pending = [...this.state.pending, { seq, verb, caller, ...id }];
    if (commandId !== undefined) this.receipt = { commandId, seq };
  }

  /** Replies to a command accepted earlier, and stores the reply for retries. */
  answer(command: PendingCommand, rc: number, body: Readonly<Record<string, unknown>>): void {
    const { seq, verb, commandId, caller } = command;
    const id = commandIdMember(commandId);
    this.add({ kind: "reply", verb, ...id, command_seq: seq, rc, body });
    if (commandId !== undefined) this.answers.push({ commandId, seq, answer: { rc, body } });
    if (caller !== null) this.replies.push({ caller, rc, body });
    this.state.pending = this.state.pending.filter((pending) => pending.seq !== seq);
  }

  /**
   * Adds a `state` entry if the state that people see has changed, or if there are `members` to report. Every accepted
   * input ends with it; call it earlier to report members.
   */
  emitState(members: Readonly<Record<string, unknown>> = {}): void {
    const phase = phaseOf(this.state);
    if (phase === this.#loggedPhase && Object.keys(members).length === 0) return;
    this.add({ kind: "state", state: phase, ...members });
  }

  decision(): Decision {
    const { state, entries, effects, replies, receipt, answers } = this;
    return { state, entries, effects, replies, ...(receipt === undefined ? {} : { receipt }), answers };
  }
}

/** Returns a refusal: no entry, no effect, only this reply. */
export function refuse(
  code: ErrorCode,
  message: string,
  members: Readonly<Record<string, unknown>> = {},
): RefusedDecision {
  return { refusal: errorBody(code, message, members) };
}

export function commandIdOf(args: object): string | undefined {
  return (args as { readonly command_id?: string }).command_id;
}

export function commandIdMember(commandId: string | undefined): { readonly command_id?: string } {
  return commandId === undefined ? {} : { command_id: commandId };
}
