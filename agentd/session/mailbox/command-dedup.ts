// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a command id once: the same command gets the stored reply, another command with that id is refused.
import { stringifyJson } from "../../../json/raw-json.ts";
import { agentIdentity } from "../../authority/sender.ts";
import type { Commit } from "../../log/append.ts";
import type { NewReceipt, NewAnswer, ReceiptReader } from "../../log/receipts.ts";
import { errorBody } from "../../vocabulary/index.ts";
import { commandIdOf } from "../core/draft.ts";
import type { AcceptedDecision } from "../core/input.ts";
import { type CommandInput, isCommandInput, type PostedInput, commandIdScope, type SentReply } from "./posted-input.ts";

/** A retry of an accepted command; `reply` is absent while the original is in flight. */
export interface RepeatedCommand {
  readonly caller: number;
  readonly reply?: SentReply;
  /** Whether an earlier flush committed the original. Otherwise it stands only if this commit does. */
  readonly isCommitted: boolean;
}

interface KnownCommand {
  readonly verb: string;
  readonly hash: Uint8Array;
  readonly answer?: { readonly rc: number; readonly body: string };
}

/** What identifies a command when it is retried. */
export type DedupKey = Pick<CommandInput["command"], "verb" | "args" | "by" | "caller">;

export class CommandDedup {
  readonly #receipts: ReceiptReader;
  /** Callers that retried a command in flight and get its reply. */
  readonly #waitingCallers = new Map<string, number[]>();

  constructor(receipts: ReceiptReader) {
    this.#receipts = receipts;
  }

  findReply(scope: string, command: DedupKey): SentReply | "pending" | undefined {
    const { verb, caller } = command;
    const id = commandIdOf(command.args);
    if (id === undefined) return undefined;
    const known = this.#receipts.find(scope, id);
    if (!known) return undefined;
    const reply = storedReply(known, id, { verb, hash: hashCommand(this.#receipts, command) }, caller);
    if (reply) return reply;
    this.addWaitingCaller(toKey(scope, id), caller);
    return "pending";
  }

  addWaitingCaller(key: string, caller: number): void {
    this.#waitingCallers.set(key, [...(this.#waitingCallers.get(key) ?? []), caller]);
  }

  /** Removes and returns the callers that retried the command while it was in flight. */
  takeWaitingCallers(key: string): readonly number[] {
    const callers = this.#waitingCallers.get(key) ?? [];
    this.#waitingCallers.delete(key);
    return callers;
  }

  batch(): CommandDedupBatch {
    return new CommandDedupBatch(this, this.#receipts);
  }
}

/** The command ids that one flush accepts. They count only after `confirm`, once its commit succeeded. */
export class CommandDedupBatch {
  readonly #dedup: CommandDedup;
  readonly #receipts: ReceiptReader;
  readonly #accepted = new Map<string, KnownCommand>();
  readonly #answered: { readonly key: string; readonly rc: number; readonly body: string }[] = [];
  readonly #newWaitingCallers: { readonly key: string; readonly caller: number }[] = [];
  #isCommitted = false;

  constructor(dedup: CommandDedup, receipts: ReceiptReader) {
    this.#dedup = dedup;
    this.#receipts = receipts;
  }

  findRepeated(posted: PostedInput): RepeatedCommand | undefined {
    const { input } = posted;
    if (!isCommandInput(input)) return undefined;
    const { args, verb, caller } = input.command;
    const id = commandIdOf(args);
    if (id === undefined) return undefined;
    const scope = commandIdScope(posted);
    const key = toKey(scope, id);
    const accepted = this.#accepted.get(key);
    if (!accepted) {
      const known = this.#dedup.findReply(scope, input.command);
      return known && { caller, ...(known === "pending" ? {} : { reply: known }), isCommitted: true };
    }
    const reply = storedReply(accepted, id, { verb, hash: hashCommand(this.#receipts, input.command) }, caller);
    if (reply) return { caller, reply, isCommitted: false };
    this.#newWaitingCallers.push({ key, caller });
    return { caller, isCommitted: false };
  }

  /** Returns the rows that the decision writes, or undefined when it writes none. */
  toCommit(posted: PostedInput, expectSeq: number, decision: AcceptedDecision): Commit | undefined {
    const scope = commandIdScope(posted);
    const receipt = this.#newReceipt(posted, scope, decision);
    const answers = decision.answers.map(({ commandId, answer }): NewAnswer => {
      const body = stringifyJson(answer.body);
      this.#answered.push({ key: toKey(posted.session, commandId), rc: answer.rc, body });
      return { scope: posted.session, commandId, rc: answer.rc, body };
    });
    if (decision.entries.length === 0) return undefined;
    const { input } = posted;
    return {
      session: posted.session,
      expectSeq,
      entries: decision.entries,
      ...(receipt ? { receipts: [receipt] } : {}),
      ...(answers.length > 0 ? { answers } : {}),
      ...(input.type === "start" && input.literals !== undefined ? { literals: input.literals } : {}),
    };
  }

  #newReceipt(posted: PostedInput, scope: string, decision: AcceptedDecision): NewReceipt | undefined {
    const { receipt } = decision;
    const { input } = posted;
    if (!receipt || !isCommandInput(input)) return undefined;
    const { verb } = input.command;
    const hash = hashCommand(this.#receipts, input.command);
    const answer = receipt.answer && { rc: receipt.answer.rc, body: stringifyJson(receipt.answer.body) };
    const known = { verb, hash, ...(answer ? { answer } : {}) };
    this.#accepted.set(toKey(scope, receipt.commandId), known);
    return { scope, commandId: receipt.commandId, seq: receipt.seq, ...known };
  }

  confirm(): void {
    this.#isCommitted = true;
    for (const { key, caller } of this.#newWaitingCallers) this.#dedup.addWaitingCaller(key, caller);
  }

  /** Yields replies to callers that retried a command which this flush has answered. */
  *lateReplies(): Generator<SentReply> {
    if (!this.#isCommitted) return;
    for (const { key, rc, body } of this.#answered) {
      for (const caller of this.#dedup.takeWaitingCallers(key)) yield { caller, rc, body };
    }
  }
}

/** Hashes the agent's identity too, so that agents and people never get each other's replies by the same id. */
function hashCommand(receipts: ReceiptReader, { verb, args, by }: Omit<DedupKey, "caller">): Uint8Array {
  return receipts.hash(verb, args, agentIdentity(by));
}

/** Returns the stored reply or a conflict; undefined while the command is in flight. */
function storedReply(
  known: KnownCommand,
  id: string,
  asked: { readonly verb: string; readonly hash: Uint8Array },
  caller: number,
): SentReply | undefined {
  if (known.verb !== asked.verb || Buffer.compare(known.hash, asked.hash) !== 0) {
    const message = "this command id was used for another command: use a new id";
    const body = errorBody("COMMAND_CONFLICT", message, { command_id: id, verb: known.verb });
    return { caller, rc: 10, body: JSON.stringify(body) };
  }
  return known.answer && { caller, ...known.answer };
}

function toKey(scope: string, commandId: string): string {
  return `${scope}/${commandId}`;
}
