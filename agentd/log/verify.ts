// SPDX-License-Identifier: MIT OR Apache-2.0
// Verifies the whole log: the file is sound, entries have no gaps and match their seals, rows match their entries, and
// receipts name commands.
import type Database from "better-sqlite3";
import type { VerifyReply } from "../vocabulary/index.ts";
import { startIntegrityCheck } from "./integrity-check.ts";
import { kindNumbers } from "./kinds.ts";
import { LogError, wrapStoreErrors } from "./log-error.ts";
import { purgedTo } from "./purge.ts";
import { entriesPerSession, lastSid } from "./session-table.ts";
import { type Steps, runSteps } from "./steps.ts";
import { type Report, sessionChecker, type SessionChecker } from "./verify-session.ts";

/**
 * Awaits `pause` between steps of some milliseconds, while SQLite's integrity check runs in a thread. Entries that are
 * appended meanwhile are verified too. No purge or redaction may run at the same time: their intermediate states would be
 * reported as problems. Throws LogError if the store fails in another way than by damage to the file.
 */
export type Verify = (pause: () => Promise<unknown>) => Promise<VerifyReply>;

export function verifier(db: Database.Database, file: string, log: string): Verify {
  const check = sessionChecker(db, file, log);
  return async (pause) => {
    const problems: string[] = [];
    const integrity = startIntegrityCheck(file);
    try {
      const found = await runSteps(checkAll(db, file, check, problems), pause);
      problems.unshift(...(await integrity.problems));
      return { ok: problems.length === 0, problems: limitProblems(problems), ...found };
    } finally {
      integrity.stop();
    }
  };
}

function limitProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= problemsMax) return problems;
  return [...problems.slice(0, problemsMax - 1), `and ${problems.length - problemsMax + 1} more`];
}

const problemsMax = 100;
/** Further problems are only counted. */
const problemsKept = 1000;

function* checkAll(
  db: Database.Database,
  file: string,
  check: SessionChecker,
  problems: string[],
): Steps<Omit<VerifyReply, "ok" | "problems">> {
  // A log can have as many problems as entries.
  const report = (problem: string) => void problems.push(problems.length < problemsKept ? problem : "");
  const last = lastSid(db, file);
  let sessions = 0;
  let entries = 0;
  let redacted = 0;
  for (let sid = 1; sid <= last; sid += 1) {
    const checked = yield* reportDamage(check(sid, report), `session number ${sid}`, report);
    if (checked?.instance === false) sessions += 1;
    entries += checked?.entries ?? 0;
    redacted += checked?.redacted ?? 0;
    yield;
  }
  yield* reportDamage(checkStrays(db, file, report), "the entries", report);
  yield* reportDamage(checkReceipts(db, file, report), "the receipts", report);
  return { sessions, entries, redacted_commits: redacted };
}

/** Reports an unreadable part as one problem, so that the rest of the log is still checked. */
function* reportDamage<T>(steps: Steps<T>, what: string, report: Report): Steps<T | undefined> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof LogError && error.code === "corrupt")) throw error;
    report(`${what} cannot be read: ${error.message}`);
    return undefined;
  }
}

function* checkStrays(db: Database.Database, file: string, report: Report): Steps<void> {
  const strays = db.prepare<[number, number], number>(`
    SELECT id FROM (SELECT id FROM entry WHERE id < ? ORDER BY id LIMIT 1)
    UNION ALL SELECT id FROM (SELECT id FROM entry WHERE id >= ? ORDER BY id DESC LIMIT 1)`);
  // A session may have been created since, with the next sid.
  const end = (lastSid(db, file) + 1) * entriesPerSession;
  const ids = wrapStoreErrors(file, () => strays.pluck().all(entriesPerSession, end));
  for (const id of ids) report(`entry ${id} belongs to no session`);
  yield;
}

function* checkReceipts(db: Database.Database, file: string, report: Report): Steps<void> {
  const some = db.prepare<[number, string], CheckedReceipt>(`
    SELECT receipt.sid AS sid, command_id AS id, entry & ${entriesPerSession - 1} AS seq, session.id AS session,
      (SELECT kind FROM entry WHERE entry.id = receipt.entry) AS kind, ${purgedTo} AS purged
    FROM receipt LEFT JOIN session ON session.sid = entry >> 30
    WHERE (receipt.sid, command_id) > (?, ?) ORDER BY receipt.sid, command_id LIMIT 256`);
  for (let page = wrapStoreErrors(file, () => some.all(0, "")); page.length > 0;) {
    for (const { id, seq, session, kind, purged } of page) {
      if (session === null || (kind !== kindNumbers.command && seq > purged)) {
        report(`the receipt of ${JSON.stringify(id)} names entry ${seq} of ${session ?? "no session"}, not a command`);
      }
    }
    yield;
    const { sid, id } = page.at(-1)!;
    page = wrapStoreErrors(file, () => some.all(sid, id));
  }
}

interface CheckedReceipt {
  readonly sid: number;
  readonly id: string;
  readonly seq: number;
  readonly session: string | null;
  readonly kind: number | null;
  readonly purged: number;
}
