// SPDX-License-Identifier: MIT OR Apache-2.0
// Seals make a session's log tamper-evident: one row per commit, whose digest includes the previous digest. A digest per
// commit costs a fraction of one per entry.
import { createHash, type Hash } from "node:crypto";
import type Database from "better-sqlite3";

export type OpenSeal = ReturnType<ReturnType<typeof sealWriter>["open"]>;

export function sealWriter(db: Database.Database, random: (bytes: number) => Uint8Array) {
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
    /** Begins the seal of the entries that this transaction writes to one session. `first`: id of the first entry. */
    open(sid: number, first: number) {
      const previous = lastSeal.get(first, sid) ?? lastTombstone.get(sid) ?? chainStart;
      const salt = random(saltBytes);
      const hash = startDigest(previous, salt);
      return {
        /** Adds the JSON of the next entry. */
        add: (body: Buffer) => void hash.update(body),
        /** Writes the seal. `last`: id of the last entry, which must be written already. */
        close: (last: number) => void insert.run(first, last, salt, hash.digest()),
      };
    },
  };
}

/** Begins SHA-256 over the previous digest, the salt, and the entries' JSON objects in order, without separators. */
export function startDigest(previous: Uint8Array, salt: Uint8Array): Hash {
  return createHash("sha256").update(previous).update(salt);
}

/** The previous digest of a session's first seal. */
export const chainStart: Uint8Array = new Uint8Array(32);

const saltBytes = 16;
