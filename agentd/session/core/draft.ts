// SPDX-License-Identifier: MIT OR Apache-2.0
// A decision in the making: a copy of the state that the deciding functions change, with what it brings about.
import type { EntryContent } from "../../vocabulary/entries.ts";
import { type ErrorBody, errorBody, type ErrorCode } from "../../vocabulary/errors.ts";
import type { Command, StepContext, Decision, Effect, NewReceiptAnswer, Reply } from "./input.ts";
import { type PendingCommand, phaseOf, type SessionState } from "./state.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class Draft {
  readonly state: Writable<SessionState>;
  readonly context: StepContext;
  readonly entries: EntryContent[] = [];
  readonly effects: Effect[] = [];
  readonly replies: Reply[] = [];
  receipt: NewReceiptAnswer | undefined;
  readonly answers: Required<NewReceiptAnswer>[] = [];

  constructor(state: SessionState, context: StepContext) {
    this.state = { ...state };
    this.context = context;
  }

  /** Returns the entry's seq. */
  add(entry: EntryContent): number {
    this.entries.push(entry);
    this.state.seq += 1;
    return this.state.seq;
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  /** From here the session is idle: nothing runs, nothing is queued and nobody is asked. */
  armIdle(): void {
    const { idleTimeoutMs } = this.context.settings;
    if (idleTimeoutMs !== null) this.effect({ type: "arm", timer: "idle", key: "", afterMs: idleTimeoutMs });
  }

  /** The command's own entry, which every acting command has. */
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

  /** Reply and receipt of a command that is accepted at once; the body is the one that a retry will get. */
  accept(command: Command, seq: number, members: Readonly<Record<string, unknown>>): void {
    const commandId = commandIdOf(command.args);
    const id = commandIdMember(commandId);
    const body = { ...id, session: this.state.id, seq, ...members };
    this.add({ kind: "reply", verb: command.verb, ...id, command_seq: seq, rc: 0, body });
    if (commandId !== undefined) this.receipt = { commandId, seq, answer: { rc: 0, body } };
    this.replies.push({ caller: command.caller, rc: 0, body });
  }

  /** The command will be answered when it is done. */
  postpone(command: Command, seq: number): void {
    const commandId = commandIdOf(command.args);
    const { verb, caller } = command;
    const id = commandId === undefined ? {} : { commandId };
    this.state.pending = [...this.state.pending, { seq, verb, caller, ...id }];
    if (commandId !== undefined) this.receipt = { commandId, seq };
  }

  /** The reply of a command that was accepted before: logged, kept for retries, sent to whoever still waits. */
  answer(command: PendingCommand, rc: number, body: Readonly<Record<string, unknown>>): void {
    const { seq, verb, commandId, caller } = command;
    const id = commandIdMember(commandId);
    this.add({ kind: "reply", verb, ...id, command_seq: seq, rc, body });
    if (commandId !== undefined) this.answers.push({ commandId, seq, answer: { rc, body } });
    if (caller !== null) this.replies.push({ caller, rc, body });
    this.state.pending = this.state.pending.filter((pending) => pending.seq !== seq);
  }

  /** Says the state that people see, if it is another than the one said last. */
  emitState(before: SessionState, members: Readonly<Record<string, unknown>> = {}): void {
    const phase = phaseOf(this.state);
    if (phase === phaseOf(before) && Object.keys(members).length === 0) return;
    this.add({ kind: "state", state: phase, ...members });
  }

  decision(): Decision {
    const { state, entries, effects, replies, receipt, answers } = this;
    return { state, entries, effects, replies, ...(receipt === undefined ? {} : { receipt }), answers };
  }
}

export function refuse(
  code: ErrorCode,
  message: string,
  members: Readonly<Record<string, unknown>> = {},
): { readonly refusal: ErrorBody } {
  return { refusal: errorBody(code, message, members) };
}

/** A command's own id, which its caller may leave out, from its arguments. */
export function commandIdOf(args: object): string | undefined {
  return (args as { readonly command_id?: string }).command_id;
}

/** As a member of an entry or of a reply, where there is one. */
export function commandIdMember(commandId: string | undefined): { readonly command_id?: string } {
  return commandId === undefined ? {} : { command_id: commandId };
}
