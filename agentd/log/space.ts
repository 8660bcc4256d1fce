// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures the space of the log, compares it with the quota, and gives free space back to the disk.
import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";
import type { Steps } from "./steps.ts";

/** All in bytes. */
export interface LogSpace {
  readonly file: number;
  readonly writeAhead: number;
  /** Pages in use, without free ones. This is compared with the quota. */
  readonly used: number;
  /** Pages that a purge freed, and that are not yet given back to the disk. New entries fill them. */
  readonly free: number;
}

/** Cheap enough to call before each commit: two reads of the file's header and two `stat`s. */
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
 * `warning`: from 90 % of the quota on. `full`: from the quota on; nothing new may begin. `exhausted`: the reserve is
 * used up too; running agents are ended without logging it.
 */
export type QuotaLevel = "plenty" | "warning" | "full" | "exhausted";

/** `used` and `quota` are in bytes. */
export function quotaLevel(used: number, quota: number): QuotaLevel {
  if (used >= quota + quotaReserve(quota)) return "exhausted";
  if (used >= quota) return "full";
  return used >= quota * quotaWarningShare ? "warning" : "plenty";
}

/**
 * Returns the bytes beyond the quota that are reserved for ending things: a twentieth of the quota, at least 64 MiB.
 * Ending a session takes less than 1 MiB (up to 1024 open tool calls of about 300 bytes, turns, requests, replies). The
 * rest is for turns that were running when the quota was reached, and for a purge, which needs space before it frees any.
 */
export function quotaReserve(quota: number): number {
  return Math.max(quotaReserveBytesMin, Math.ceil(quota / 20));
}

const quotaWarningShare = 0.9;
const quotaReserveBytesMin = 64 * 1024 * 1024;

/**
 * Gives free pages back to the disk, some per step, and truncates the write-ahead log. Returns false if a reader in
 * another process kept the write-ahead log from being truncated: its old content is then still there.
 */
export function* reclaimSpace(db: Database.Database, file: string): Steps<boolean> {
  const freePages = db.prepare<[], number>("PRAGMA freelist_count").pluck();
  let free = wrapStoreErrors(file, () => freePages.get() ?? 0);
  while (free > 0) {
    wrapStoreErrors(file, () => db.pragma(`incremental_vacuum(${pagesPerStep})`));
    yield;
    const left = wrapStoreErrors(file, () => freePages.get() ?? 0);
    // A reader on another connection can keep pages from being freed.
    if (left >= free) break;
    free = left;
  }
  return wrapStoreErrors(file, () => truncateWal(db));
}

/** About 10 ms of work on a slow disk. */
const pagesPerStep = 100;

/** Returns false if a reader kept it from being truncated. */
export function truncateWal(db: Database.Database): boolean {
  const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  return result?.busy === 0;
}
