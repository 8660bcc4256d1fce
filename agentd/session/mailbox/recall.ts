// SPDX-License-Identifier: MIT OR Apache-2.0
// A command id that was accepted once never runs again: the same command gets the first reply, another one a conflict.
import { stringifyJson } from "../../../json/raw-json.ts";
import { agentIdentity } from "../../authority/sender.ts";
import type { Commit } from "../../log/append.ts";
import type { NewReceipt, NewAnswer, ReceiptReader } from "../../log/receipts.ts";
import { errorBody } from "../../vocabulary/index.ts";
import { commandIdOf } from "../core/draft.ts";
import type { Decision } from "../core/input.ts";
import { type Commanding, isCommanding, type Posted, scopeOf, type SentReply } from "./posted.ts";

type Accepted = Exclude<Decision, { refusal: {} }>;

/** What one who repeats a command is told: nothing yet, while it is being worked on. */
export interface Recalled {
  readonly caller: number;
  readonly told?: SentReply;
  /** Whatever becomes of this flush; else only if its commit stands, since the command itself is in it. */
  readonly holds: boolean;
}

interface Known {
  readonly verb: string;
  readonly hash: Uint8Array;
  readonly answer?: { readonly rc: number; readonly body: string };
}

/** What a command is known by when it comes again. */
export type Repeatable = Pick<Commanding["command"], "verb" | "args" | "by" | "caller">;

export class Recall {
  readonly #receipts: ReceiptReader;
  /** Callers that repeat a command which is still being worked on: they get its reply. */
  readonly #repeaters = new Map<string, number[]>();

  constructor(receipts: ReceiptReader) {
    this.#receipts = receipts;
  }

  answer(scope: string, command: Repeatable): SentReply | "posted" | undefined {
    const { verb, caller } = command;
    const id = commandIdOf(command.args);
    if (id === undefined) return undefined;
    const known = this.#receipts.find(scope, id);
    if (!known) return undefined;
    const told = tellAgain(known, id, { verb, hash: hashOf(this.#receipts, command) }, caller);
    if (told) return told;
    this.join(keyOf(scope, id), caller);
    return "posted";
  }

  join(key: string, caller: number): void {
    this.#repeaters.set(key, [...(this.#repeaters.get(key) ?? []), caller]);
  }

  batch(): RecallBatch {
    return new RecallBatch(this, this.#receipts, this.#repeaters);
  }
}

/** What one flush learns of command ids; it counts only when the flush's commit stands. */
export class RecallBatch {
  readonly #recall: Recall;
  readonly #receipts: ReceiptReader;
  readonly #repeaters: Map<string, number[]>;
  readonly #fresh = new Map<string, Known>();
  readonly #answered: { readonly key: string; readonly rc: number; readonly body: string }[] = [];
  readonly #joining: { readonly key: string; readonly caller: number }[] = [];
  #stands = false;

  constructor(recall: Recall, receipts: ReceiptReader, repeaters: Map<string, number[]>) {
    this.#recall = recall;
    this.#receipts = receipts;
    this.#repeaters = repeaters;
  }

  lookUp(posted: Posted): Recalled | undefined {
    const { input } = posted;
    if (!isCommanding(input)) return undefined;
    const { args, verb, caller } = input.command;
    const id = commandIdOf(args);
    if (id === undefined) return undefined;
    const scope = scopeOf(posted);
    const key = keyOf(scope, id);
    const fresh = this.#fresh.get(key);
    if (!fresh) {
      const known = this.#recall.answer(scope, input.command);
      return known && { caller, ...(known === "posted" ? {} : { told: known }), holds: true };
    }
    const told = tellAgain(fresh, id, { verb, hash: hashOf(this.#receipts, input.command) }, caller);
    if (told) return { caller, told, holds: false };
    this.#joining.push({ key, caller });
    return { caller, holds: false };
  }

  /** What the decision writes; undefined when it writes nothing. */
  commit(posted: Posted, expectSeq: number, decision: Accepted): Commit | undefined {
    const scope = scopeOf(posted);
    const receipt = this.#newReceipt(posted, scope, decision);
    const answers = decision.answers.map(({ commandId, answer }): NewAnswer => {
      const body = stringifyJson(answer.body);
      this.#answered.push({ key: keyOf(posted.session, commandId), rc: answer.rc, body });
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

  #newReceipt(posted: Posted, scope: string, decision: Accepted): NewReceipt | undefined {
    const { receipt } = decision;
    const { input } = posted;
    if (!receipt || !isCommanding(input)) return undefined;
    const { verb } = input.command;
    const hash = hashOf(this.#receipts, input.command);
    const answer = receipt.answer && { rc: receipt.answer.rc, body: stringifyJson(receipt.answer.body) };
    const known = { verb, hash, ...(answer ? { answer } : {}) };
    this.#fresh.set(keyOf(scope, receipt.commandId), known);
    return { scope, commandId: receipt.commandId, seq: receipt.seq, ...known };
  }

  stand(): void {
    this.#stands = true;
    for (const { key, caller } of this.#joining) this.#recall.join(key, caller);
  }

  /** Replies to those who repeated a command that this flush has answered. */
  *late(): Generator<SentReply> {
    if (!this.#stands) return;
    for (const { key, rc, body } of this.#answered) {
      for (const caller of this.#repeaters.get(key) ?? []) yield { caller, rc, body };
      this.#repeaters.delete(key);
    }
  }
}

/** An agent's command is its own: neither it nor a person is given what came of the other's, whatever id they choose. */
function hashOf(receipts: ReceiptReader, { verb, args, by }: Omit<Repeatable, "caller">): Uint8Array {
  return receipts.hash(verb, args, agentIdentity(by));
}

/** Undefined while it is being worked on. */
function tellAgain(
  known: Known,
  id: string,
  asked: { readonly verb: string; readonly hash: Uint8Array },
  caller: number,
): SentReply | undefined {
  if (known.verb !== asked.verb || Buffer.compare(known.hash, asked.hash) !== 0) {
    const message = "this command id was used for another command: take a new one for what differs";
    const body = errorBody("COMMAND_CONFLICT", message, { command_id: id, verb: known.verb });
    return { caller, rc: 10, body: JSON.stringify(body) };
  }
  return known.answer && { caller, ...known.answer };
}

function keyOf(scope: string, commandId: string): string {
  return `${scope}/${commandId}`;
}
