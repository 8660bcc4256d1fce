// SPDX-License-Identifier: MIT OR Apache-2.0
// How much the log takes, how much of that is in use, and how what is free goes back to the disk.
import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";
import type { Steps } from "./steps.ts";

/** Bytes. */
export interface LogSpace {
  readonly file: number;
  /** The write-ahead log, which is taken back now and then. */
  readonly writeAhead: number;
  /** Without the pages that a purge freed and that the next entries fill: this is what a quota is held against. */
  readonly used: number;
  /** Pages freed, and not yet given back to the disk. */
  readonly free: number;
}

/** Two reads of the file's head, and two of its directory: cheap enough to ask before each commit. */
export function spaceReader(db: Database.Database, file: string): () => LogSpace {
  const pages = db.prepare<[], number>("PRAGMA page_count").pluck();
  const freePages = db.prepare<[], number>("PRAGMA freelist_count").pluck();
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  return () =>
    wrapStoreErrors(file, () => {
      const free = (freePages.get() ?? 0) * pageBytes;
      const used = (pages.get() ?? 0) * pageBytes - free;
      return { file: fileBytes(file), writeAhead: fileBytes(`${file}-wal`), used, free };
    });
}

export function fileBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * `plenty`, then `warning` from 90 % of the quota on; `full` from the quota on: nothing new begins; `exhausted` where
 * also the reserve for what ends things is used up: what still runs has to be ended without being logged.
 */
export type QuotaLevel = "plenty" | "warning" | "full" | "exhausted";

/** Bytes. */
export function quotaLevel(used: number, quota: number): QuotaLevel {
  if (used >= quota + quotaReserve(quota)) return "exhausted";
  if (used >= quota) return "full";
  return used >= quota * quotaWarningShare ? "warning" : "plenty";
}

/**
 * Bytes above the quota for what ends things: a twentieth of the quota, at least 64 MiB. A session's end is below 1 MiB
 * (at most 1024 open tool calls of some 300 bytes, turns, requests, replies); the rest is for turns that were running
 * when the quota was reached, and for the purge that makes room, which needs some before it frees any.
 */
export function quotaReserve(quota: number): number {
  return Math.max(quotaReserveBytesMin, Math.ceil(quota / 20));
}

const quotaWarningShare = 0.9;
const quotaReserveBytesMin = 64 * 1024 * 1024;

/**
 * Gives freed pages back to the disk and empties the write-ahead log, a few pages a step. Returns false where another
 * process that reads kept the write-ahead log from being emptied: then it still holds what was there.
 */
export function* reclaimSpace(db: Database.Database, file: string): Steps<boolean> {
  const freePages = db.prepare<[], number>("PRAGMA freelist_count").pluck();
  let free = wrapStoreErrors(file, () => freePages.get() ?? 0);
  while (free > 0) {
    wrapStoreErrors(file, () => db.pragma(`incremental_vacuum(${pagesPerStep})`));
    yield;
    const left = wrapStoreErrors(file, () => freePages.get() ?? 0);
    // Another connection that reads can keep pages in place.
    if (left >= free) break;
    free = left;
  }
  return wrapStoreErrors(file, () => emptyWriteAhead(db));
}

/** Some 10 ms of work on a slow disk. */
const pagesPerStep = 100;

function emptyWriteAhead(db: Database.Database): boolean {
  const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  return result?.busy === 0;
}
