// SPDX-License-Identifier: MIT OR Apache-2.0
// What makes a session's log tamper-evident: a row for each commit, whose digest takes in the one before it. One
// digest a commit costs a fraction of one an entry.
import { createHash } from "node:crypto";
import type Database from "better-sqlite3";
import type { EntryText } from "./entry-text.ts";

export interface SealWriter {
  /** Seals the entries with the ids `first` to `last` of one session, which this transaction has just written. */
  seal(sid: number, first: number, last: number, bodies: readonly EntryText[]): void;
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
    seal: (sid, first, last, bodies) => {
      const previous = lastSeal.get(first, sid) ?? lastTombstone.get(sid) ?? chainStart;
      const salt = random(saltBytes);
      insert.run(first, last, salt, sealDigest(previous, salt, bodies));
    },
  };
}

/** SHA-256 of the digest before, the salt, and the entries' JSON in order (each a whole object: no separator needed). */
export function sealDigest(previous: Uint8Array, salt: Uint8Array, bodies: readonly EntryText[]): Buffer {
  const hash = createHash("sha256").update(previous).update(salt);
  // Joining them first would copy a commit of a megabyte for nothing.
  for (const body of bodies) hash.update(body);
  return hash.digest();
}

/** Stands for the digest before a session's first. */
export const chainStart: Uint8Array = new Uint8Array(32);

const saltBytes = 16;
