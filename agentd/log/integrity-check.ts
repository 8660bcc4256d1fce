// SPDX-License-Identifier: MIT OR Apache-2.0
// SQLite's own check of the file. It takes seconds for each gigabyte and cannot be cut small, so it runs in a thread,
// on a connection that only reads.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { OwnFileGone } from "../own-file-gone.ts";

export interface IntegrityCheck {
  /**
   * What SQLite finds, at most 100 lines; empty where the file is sound. What keeps it from looking is one of them, but
   * for SQLite's own program: where that was moved away, OwnFileGone is thrown.
   */
  readonly problems: Promise<readonly string[]>;
  /** The thread ends as soon as SQLite lets it. */
  stop(): void;
}

/** Throws OwnFileGone at once where it is known then. */
export function startIntegrityCheck(file: string, sqlite = sqliteProgram()): IntegrityCheck {
  const worker = new Worker(threadSource, { eval: true, execArgv: [], workerData: { file, sqlite } });
  const problems = new Promise<readonly string[]>((resolve, reject) => {
    const failed = (why: string) => resolve([`the file could not be checked: ${why}`]);
    worker.once("message", ({ unloaded, lines }: Checked) =>
      unloaded ? reject(sqliteGone(unloaded)) : resolve(lines),
    );
    worker.once("error", (error: unknown) => failed(error instanceof Error ? error.message : String(error)));
    worker.once("exit", () => failed("the check ended early"));
  });
  // Who stops the check before it is over does not look at this any more.
  problems.catch(() => undefined);
  return { problems, stop: () => void worker.terminate() };
}

interface Checked {
  /** Why SQLite could not be loaded. */
  readonly unloaded?: string;
  readonly lines: readonly string[];
}

function sqliteProgram(): string {
  try {
    return createRequire(import.meta.url).resolve("better-sqlite3");
  } catch (cause) {
    throw sqliteGone((cause as Error).message);
  }
}

function sqliteGone(cause: string): OwnFileGone {
  return new OwnFileGone("the program that checks the file", { cause });
}

/** A text, since a thread starts from a file that differs between the source and what is built from it. */
const threadSource = `
  const { parentPort, workerData } = require("node:worker_threads");
  const lines = [];
  let unloaded;
  let Database;
  try {
    Database = require(workerData.sqlite);
    new Database(":memory:").close();
  } catch (error) {
    unloaded = error.message;
  }
  if (unloaded === undefined) try {
    const db = new Database(workerData.file, { readonly: true });
    try {
      for (const line of db.prepare("PRAGMA integrity_check(100)").pluck().iterate()) lines.push(line);
    } finally {
      db.close();
    }
  } catch (error) {
    lines.push(error.message);
  }
  parentPort.postMessage({ unloaded, lines: lines.length === 1 && lines[0] === "ok" ? [] : lines });
`;
