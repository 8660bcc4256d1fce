// SPDX-License-Identifier: MIT OR Apache-2.0
// What makes a session's log tamper-evident: a row for each commit, whose digest takes in the one before it. One
// digest a commit costs a fraction of one an entry.
import { createHash, type Hash } from "node:crypto";
import type Database from "better-sqlite3";

export interface SealWriter {
  /** Begins the seal of the entries from the id `first` on of one session, which this transaction is to write. */
  open(sid: number, first: number): OpenSeal;
}

export interface OpenSeal {
  /** The JSON of the next entry. */
  add(body: string | Buffer): void;
  /** Writes the seal; `last` is the id of the last entry, which is written. */
  close(last: number): void;
}

export function sealWriter(db: Database.Database, random: (bytes: number) => Uint8Array): SealWriter {
  const lastSeal = db
    .prepare<[number, number], Buffer>(
      "SELECT digest FROM seal WHERE first < ? AND first >= ? << 30 ORDER BY first DESC LIMIT 1",
    )
    .pluck();
  const lastTombstone = db
    .prepare<[number], Buffer>("SELECT chain FROM tombstone WHERE sid = ? ORDER BY last_seq DESC LIMIT 1")
    .pluck();
  const insert = db.prepare("INSERT INTO seal (first, last, salt, digest) VALUES (?, ?, ?, ?)");
  return {
    open(sid, first) {
      const previous = lastSeal.get(first, sid) ?? lastTombstone.get(sid) ?? chainStart;
      const salt = random(saltBytes);
      const hash = startDigest(previous, salt);
      return {
        add: (body) => void hash.update(body),
        close: (last) => void insert.run(first, last, salt, hash.digest()),
      };
    },
  };
}

/** SHA-256 of the digest before, the salt, and then the entries' JSON in order (each a whole object: no separator needed). */
export function startDigest(previous: Uint8Array, salt: Uint8Array): Hash {
  return createHash("sha256").update(previous).update(salt);
}

/** Stands for the digest before a session's first. */
export const chainStart: Uint8Array = new Uint8Array(32);

const saltBytes = 16;
