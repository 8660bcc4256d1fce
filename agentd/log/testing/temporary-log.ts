// SPDX-License-Identifier: MIT OR Apache-2.0
// A real log in a temporary directory, which is removed when the test is over.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { EntryContent } from "../../vocabulary/index.ts";
import { LogError } from "../log-error.ts";
import { type Log, type LogOptions, openLog } from "../open.ts";
import { readPages } from "../read.ts";

export const alpha = "alphaalphaaa";
export const bravo = "bravobravobb";

export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "agentd-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a log in a new directory, or at `options.file`. */
export function temporaryLog(options: Partial<LogOptions> = {}): Log {
  const file = options.file ?? path.join(temporaryDirectory(), "log.db");
  const log = openLog({ file, clock: Date, random: randomBytes, ...options });
  onTestFinished(() => log.close());
  return log;
}

/** Opens another program's connection to the same file, with other pragmas than ours. */
export function otherConnection(file: string): Database.Database {
  const db = new Database(file);
  db.pragma("recursive_triggers = OFF");
  db.pragma("foreign_keys = OFF");
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function message(text: string, members: { readonly turn?: number; readonly late?: true } = {}): EntryContent {
  return {
    kind: "message",
    role: "agent",
    message_id: "m-1",
    content: { type: "text", text },
    append: true,
    ...members,
  };
}

/** Appends `count` messages, one per entry, in commits of at most 256. */
export function fill(log: Log, session: string, count: number, text = (index: number) => `message ${index}`): void {
  let seq = log.entries.lastSeq(session) ?? 0;
  const end = seq + count;
  while (seq < end) {
    const entries = Array.from({ length: Math.min(256, end - seq) }, (_, index) => message(text(seq + index + 1)));
    log.append([{ session, expectSeq: seq, entries }]);
    seq += entries.length;
  }
}

/** Reads every entry of the session, parsed. */
export function everything(log: Log, session: string): Record<string, unknown>[] {
  return [...readPages(log.entries, { session })].flatMap(({ entries }) =>
    entries.map((text) => JSON.parse(text) as Record<string, unknown>),
  );
}

/** Returns the code of the LogError that `act` throws. */
export function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof LogError) return error.code;
    throw error;
  }
  return "no error";
}
