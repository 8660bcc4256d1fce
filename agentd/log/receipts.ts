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

export interface ReceiptReader {
  find(scope: string, commandId: string): Receipt | undefined;
  /** Hashes a command. Two commands with one id are the same if their hashes are equal. `owner`: whose command it is. */
  hash(verb: string, args: object, owner?: string): Buffer;
  /** Returns the receipts without a reply, which recovery has to answer. */
  unanswered(): readonly UnansweredReceipt[];
}

export function receiptReader(db: Database.Database, file: string, hashKey: Uint8Array): ReceiptReader {
  const find = db.prepare<[string, string], ReceiptColumns>(`${selectReceipt} WHERE scope.id = ? AND command_id = ?`);
  const unanswered = db.prepare<[], ReceiptColumns>(`${selectReceipt} WHERE rc IS NULL ORDER BY entry`);
  return {
    find: (scope, commandId) => {
      const found = wrapStoreErrors(file, () => find.get(scope, commandId));
      if (!found) return undefined;
      const { verb, hash, session, entry, rc, body } = found;
      const receipt = { verb, hash, session, seq: entry % entriesPerSession };
      return rc === null || body === null ? receipt : { ...receipt, answer: { rc, body } };
    },
    hash: (verb, args, owner) => argumentsHash(hashKey, verb, args, owner),
    unanswered: () =>
      wrapStoreErrors(file, () => unanswered.all()).map(({ scope, command_id, verb, session, entry }) => {
        return { scope, commandId: command_id, verb, session, seq: entry % entriesPerSession };
      }),
  };
}

const selectReceipt = `
  SELECT scope.id AS scope, command_id, verb, hash, session.id AS session, entry, rc, body
  FROM receipt JOIN session AS scope ON scope.sid = receipt.sid JOIN session ON session.sid = entry >> 30`;

interface ReceiptColumns {
  readonly scope: string;
  readonly command_id: string;
  readonly verb: string;
  readonly hash: Buffer;
  readonly session: string;
  readonly entry: number;
  readonly rc: number | null;
  readonly body: string | null;
}

export interface ReceiptWriter {
  /** `base`: the session's entry ids begin after it. The commit has the seqs after `last` up to `to`. */
  take(receipt: NewReceipt, base: number, last: number, to: number): void;
  answer(answer: NewAnswer): void;
}

/** Must be used within the transaction of an append. */
export function receiptWriter(db: Database.Database, sidOf: (session: string) => number | undefined): ReceiptWriter {
  const insert = db.prepare(
    "INSERT INTO receipt (sid, command_id, verb, hash, entry, rc, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const answer = db.prepare("UPDATE receipt SET rc = ?, body = ? WHERE sid = ? AND command_id = ? AND rc IS NULL");
  return {
    take: ({ scope, commandId, verb, hash, seq, answer: given }, base, last, to) => {
      if (seq <= last || seq > to)
        throw new Error(`the receipt of ${commandId} names seq ${seq}, which is not of its commit`);
      insert.run(sidOf(scope) ?? null, commandId, verb, hash, base + seq, given?.rc ?? null, given?.body ?? null);
    },
    answer: ({ scope, commandId, rc, body }) => {
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
