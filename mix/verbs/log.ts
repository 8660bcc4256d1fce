// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Entry, entryKinds } from "../../agentd/vocabulary/entries.ts";
import { logEntries, type LogFilter, seqBeforeTime } from "../../agent-client/entries/read-log.ts";
import type { AgentBus, ReadingBus } from "../../agent-client/requests/ask.ts";
import { parsePointInTime, pointInTimeForms } from "../input/times.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { usageError } from "../process/mix-error.ts";
import { sessionReference } from "../references/session-reference.ts";
import { EntryPrinter, type LogPrinter, RowPrinter } from "../view/log-printer.ts";
import { entriesUntilInterrupt } from "../watch/entries-until-interrupt.ts";

export const spec: VerbSpec = {
  usage: "agent log [session]",
  about:
    "Prints a session's log, all of it by default: for people a row for each thing, in local time; with --json each entry as it is, in UTC. No entry is skipped: with -f, gaps are fetched.",
  flags: {
    follow: { kind: "switch", short: "f", about: "keep printing what is new", isMain: true },
    since: {
      kind: "text",
      value: "TIME",
      about: "from 10m ago, 14:30 or 2026-01-31 on; a cursor or seq",
      isMain: true,
    },
    tail: { kind: "text", short: "n", value: "N", about: "the last N rows; with --json and -q, entries", isMain: true },
    turn: { kind: "text", value: "N", about: "only this turn" },
    kind: { kind: "texts", value: "KIND", about: "only this kind: message, tool_call, turn, …" },
  },
  examples: ["mix agent log abc -f --since 10m", "mix agent log abc --json --tail 20"],
  sessions: "any",
};

interface LogToPrint {
  readonly session: string;
  /** Of the last entry when the verb began. */
  readonly lastSeq: number;
  readonly filter: LogFilter;
  readonly printer: LogPrinter;
}

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const [tail, turn] = [args.count("tail", 0), args.count("turn", 1)];
  const since = parseSince(args.text("since"), context.now());
  if (tail !== undefined && since !== undefined) throw usageError("--tail and --since exclude each other");
  // Checked here rather than by agentd, because `-f` filters published entries in this process.
  const wanted = args.choices("kind", entryKinds);
  const filter: LogFilter = { kinds: wanted.length === 0 ? undefined : [...wanted], turn };
  const following = args.switch("follow") ? await invocation.connect("agentd") : undefined;
  const bus = following ?? (await invocation.read("agentd"));
  const reference = await sessionReference(invocation, bus, args.positionals[0], spec.sessions);
  const snapshot = await bus.ask("agent.session.get", { session: reference });
  const { session, last_seq: lastSeq, cwd } = snapshot;
  const printer =
    output.mode === "people"
      ? new RowPrinter(context, output, { directory: cwd, kinds: filter.kinds, lastSeq })
      : new EntryPrinter(output);
  const what = { session, lastSeq, filter, printer };
  const after = since instanceof Date ? await seqBeforeTime(bus, snapshot, since.getTime()) : (since ?? 0);
  const last = tail === undefined ? after : await readTail(bus, what, tail);
  if (following !== undefined) return followLog(invocation, following, { ...what, after: last });
  if (tail === undefined) {
    let count = 0;
    for await (const entry of logEntries(bus, session, after, filter)) {
      printer.add(entry);
      if ((count += 1) % entriesPerWrite === 0) await printer.write();
    }
  }
  await printer.end();
  if (printer.isEmpty) output.word("no matching entries");
  return done;
}

const entriesPerWrite = 64;

/** A seq, a cursor or a time. */
function parseSince(text: string | undefined, now: number): number | string | Date | undefined {
  if (text === undefined || text.includes("/")) return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const time = parsePointInTime(text, now);
  if (time === undefined)
    throw usageError(`--since takes ${pointInTimeForms}, the number of an entry or a cursor, not ${text}`);
  return new Date(time);
}

/**
 * Reads the end of the log, further back each time until it has enough. Returns the seq up to which the log was read.
 */
async function readTail(bus: ReadingBus, what: LogToPrint, count: number): Promise<number> {
  const { session, lastSeq, filter, printer } = what;
  if (count === 0) return lastSeq;
  for (let reach = count; ; reach = Math.max(reachMin, reach * reachFactor)) {
    const after = Math.max(0, lastSeq - reach);
    let last = lastSeq;
    printer.clear();
    for await (const entry of logEntries(bus, session, after, filter)) {
      printer.add(entry);
      printer.keepLast(count);
      last = Math.max(last, entry.seq);
    }
    if (after === 0 || printer.hasTail(count)) return last;
  }
}

/** Rows have many entries each: a message has one for each chunk. */
const reachMin = 512;
const reachFactor = 8;

/** Writes new entries for `log -f` until Ctrl-C, even after the session has ended. */
async function followLog(
  invocation: Invocation,
  bus: AgentBus,
  what: LogToPrint & { readonly after: number | string },
): Promise<Outcome> {
  const { printer, lastSeq } = what;
  const { kinds, turn } = what.filter;
  const isWanted = (entry: Entry): boolean =>
    (kinds === undefined || kinds.includes(entry.kind)) && (turn === undefined || entry.turn === turn);
  const { entries, resumeHint, release } = await entriesUntilInterrupt(invocation, bus, what);
  try {
    // The log has nothing more for now, so what is open is shown as it is.
    if (Number(what.after) >= lastSeq) await printer.write(true);
    for await (const entry of entries) {
      if (isWanted(entry)) printer.add(entry);
      await printer.write(entry.seq >= lastSeq);
    }
  } finally {
    await printer.end();
    release();
  }
  invocation.output.word(resumeHint());
  return { kind: "interrupted" };
}
