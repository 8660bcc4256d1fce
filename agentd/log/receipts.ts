// SPDX-License-Identifier: MIT OR Apache-2.0
// Receipts of command ids. A receipt has a keyed hash of its command, to recognise a retry, and the reply, which every
// retry gets byte for byte. Receipts are never removed.
import { createHmac } from "node:crypto";
import type Database from "better-sqlite3";
import { canonicalNumber } from "../../json/canonical-number.ts";
import { RawJson } from "../../json/raw-json.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { entriesPerSession } from "./session-table.ts";

export interface NewReceipt {
  /** The session within which the id is unique; `instance` for a start and for commands without a session. */
  readonly scope: string;
  readonly commandId: string;
  readonly verb: string;
  readonly hash: Uint8Array;
  /** Seq of the command's entry, which is in the same commit. */
  readonly seq: number;
  readonly answer?: StoredAnswer;
}

export interface StoredAnswer {
  readonly rc: number;
  /** The reply's JSON text. */
  readonly body: string;
}

export interface NewAnswer extends StoredAnswer {
  readonly scope: string;
  readonly commandId: string;
}

export interface Receipt {
  readonly verb: string;
  readonly hash: Uint8Array;
  /** Session and seq of the command's entry. */
  readonly session: string;
  readonly seq: number;
  /** Absent while the command runs. */
  readonly answer?: StoredAnswer;
}

export interface UnansweredReceipt {
  readonly scope: string;
  readonly commandId: string;
  readonly verb: string;
  readonly session: string;
  readonly seq: number;
}

export type ReceiptReader = ReturnType<typeof receiptReader>;

export function receiptReader(db: Database.Database, file: string, hashKey: Uint8Array) {
  const find = db.prepare<[string, string], ReceiptColumns>(`
    SELECT verb, hash, session.id AS session, ${seqOfEntry} AS seq, rc, body
    FROM ${joined} WHERE scope.id = ? AND command_id = ?`);
  const unanswered = db.prepare<[], UnansweredReceipt>(`
    SELECT scope.id AS scope, command_id AS commandId, verb, session.id AS session, ${seqOfEntry} AS seq
    FROM ${joined} WHERE rc IS NULL ORDER BY entry`);
  return {
    find: (scope: string, commandId: string): Receipt | undefined => {
      const found = wrapStoreErrors(file, () => find.get(scope, commandId));
      if (!found) return undefined;
      const { rc, body, ...receipt } = found;
      return rc === null || body === null ? receipt : { ...receipt, answer: { rc, body } };
    },
    /** Hashes a command. Two commands with one id are the same if their hashes are equal. `owner`: whose command it is. */
    hash: (verb: string, args: object, owner?: string) => argumentsHash(hashKey, verb, args, owner),
    /** Returns the receipts without a reply, which recovery has to answer. */
    unanswered: (): readonly UnansweredReceipt[] => wrapStoreErrors(file, () => unanswered.all()),
  };
}

const joined = `
  receipt JOIN session AS scope ON scope.sid = receipt.sid JOIN session ON session.sid = entry >> 30`;
const seqOfEntry = `entry & ${entriesPerSession - 1}`;

interface ReceiptColumns extends Omit<Receipt, "answer"> {
  readonly rc: number | null;
  readonly body: string | null;
}

/** Must be used within the transaction of an append. */
export function receiptWriter(db: Database.Database, sidOf: (session: string) => number | undefined) {
  const insert = db.prepare(
    "INSERT INTO receipt (sid, command_id, verb, hash, entry, rc, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const answer = db.prepare("UPDATE receipt SET rc = ?, body = ? WHERE sid = ? AND command_id = ? AND rc IS NULL");
  return {
    /** `base`: the session's entry ids begin after it. The commit has the seqs after `last` up to `to`. */
    take: (receipt: NewReceipt, base: number, last: number, to: number) => {
      const { scope, commandId, verb, hash, seq, answer: given } = receipt;
      if (seq <= last || seq > to)
        throw new Error(`the receipt of ${commandId} names seq ${seq}, which is not of its commit`);
      insert.run(sidOf(scope) ?? null, commandId, verb, hash, base + seq, given?.rc ?? null, given?.body ?? null);
    },
    answer: ({ scope, commandId, rc, body }: NewAnswer) => {
      const { changes } = answer.run(rc, body, sidOf(scope) ?? null, commandId);
      if (changes !== 1) throw new Error(`no command ${commandId} of ${scope} waits for an answer`);
    },
  };
}

/**
 * HMAC-SHA-256 over canonical JSON of verb, arguments without `command_id`, and `owner` if given. Without the key, nobody
 * can test a guess at a secret among the arguments.
 */
export function argumentsHash(key: Uint8Array, verb: string, args: object, owner?: string): Buffer {
  const { command_id: _, ...rest } = args as { readonly command_id?: unknown };
  return createHmac("sha256", key)
    .update(canonicalJson([verb, rest, ...(owner === undefined ? [] : [owner])]))
    .digest();
}

/**
 * Returns JSON with members sorted by the UTF-16 code units of their names, and without undefined ones, so that equal
 * values give equal texts. `value` must be representable in JSON.
 */
export function canonicalJson(value: unknown): string {
  if (value instanceof RawJson) return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
