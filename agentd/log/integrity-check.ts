// SPDX-License-Identifier: MIT OR Apache-2.0
// SQLite's `integrity_check`. It takes seconds per gigabyte and cannot be interrupted, so it runs in a worker thread on a
// read-only connection.
import { Worker } from "node:worker_threads";
import { findAbove } from "../../files/upwards.ts";
import { OwnFileGone } from "../own-file-gone.ts";
import { LogError } from "./log-error.ts";

export interface IntegrityCheck {
  /**
   * At most 100 lines of SQLite; empty if the file is sound. Rejects with LogError if the check could not run, and with
   * OwnFileGone if the SQLite module was moved away.
   */
  readonly problems: Promise<readonly string[]>;
  /** Ends the thread as soon as SQLite returns to it. */
  stop(): void;
}

/** Throws OwnFileGone if the SQLite module cannot be resolved. */
export function startIntegrityCheck(file: string, sqlite = sqliteProgram()): IntegrityCheck {
  const worker = new Worker(threadSource, { eval: true, execArgv: [], workerData: { file, sqlite } });
  const problems = new Promise<readonly string[]>((resolve, reject) => {
    const failed = (why: string): void =>
      reject(new LogError("cannot_open", `${file} could not be checked for damage: ${why}`));
    worker.once("message", (found: Found) => {
      if ("lines" in found) resolve(found.lines);
      else if ("unloaded" in found) reject(sqliteGone(found.unloaded));
      else failed(found.failure);
    });
    worker.once("error", (error: unknown) => failed(error instanceof Error ? error.message : String(error)));
    worker.once("exit", () => failed("the check ended early"));
  });
  // A rejection before anyone awaits it must not end the process.
  problems.catch(() => {});
  return { problems, stop: () => void worker.terminate() };
}

/** `failure`: why the check could not run. `unloaded`: why SQLite could not be loaded. */
type Found = { readonly lines: readonly string[] } | { readonly failure: string } | { readonly unloaded: string };

/** Looks for the package itself: `require.resolve` would answer from its cache when the files are gone. */
function sqliteProgram(): string {
  const found = findAbove(import.meta.url, "node_modules/better-sqlite3");
  if (found === undefined) throw sqliteGone("there is no node_modules/better-sqlite3 above this program");
  return found;
}

function sqliteGone(cause: string): OwnFileGone {
  return new OwnFileGone("the program that checks the file", { cause });
}

/** A string, since the worker's file would have different paths in the source and in the bundle. */
const threadSource = `
  const { parentPort, workerData } = require("node:worker_threads");
  const lines = [];
  let failure;
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
    // Damage is a finding; any other error means that the check could not run.
    if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) lines.push(error.message);
    else failure = error.message;
  }
  const found = { lines: lines.length === 1 && lines[0] === "ok" ? [] : lines };
  if (unloaded !== undefined) parentPort.postMessage({ unloaded });
  else parentPort.postMessage(failure === undefined ? found : { failure });
`;
