// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Entry, type EntryKind, entryKinds } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus, ReadingBus } from "../../agent-client/requests/ask.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { usageError } from "../process/mix-error.ts";
import { logEntries, type LogFilter } from "../../agent-client/entries/read-log.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { formatLogEntry } from "../view/log-entry.ts";
import { entriesUntilInterrupt } from "../watch/entries-until-interrupt.ts";

export const spec: VerbSpec = {
  usage: "agent log <session>",
  about: "Prints a session's log, all of it by default. No entry is skipped: with -f, gaps are fetched.",
  flags: {
    follow: { kind: "switch", short: "f", about: "keep printing new entries" },
    since: { kind: "text", value: "CURSOR", about: "entries after this cursor (or seq)" },
    tail: { kind: "text", value: "N", about: "the last N entries" },
    turn: { kind: "text", value: "N", about: "only this turn" },
    kind: { kind: "texts", value: "KIND", about: "only this kind: message, tool_call, turn, …" },
  },
  examples: ["mix agent log abc -f --kind message", "mix agent log abc --json --tail 20"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args } = invocation;
  const [tail, turn, since] = [args.count("tail", 0), args.count("turn", 1), args.text("since")];
  if (tail !== undefined && since !== undefined) throw usageError("--tail and --since exclude each other");
  const wanted = args
    .texts("kind")
    .flatMap((text) => text.split(","))
    .map(parseKind);
  const filter: LogFilter = { kinds: wanted.length === 0 ? undefined : wanted, turn };
  const following = args.switch("follow") ? await invocation.connect("agentd") : undefined;
  const bus = following ?? (await invocation.read("agentd"));
  const { session, last_seq: lastSeq } = await bus.ask("agent.session.get", { session: args.word(0) });
  const after = since === undefined ? 0 : /^\d{1,15}$/.test(since) ? Number(since) : since;
  let count = 0;
  const show = (entry: Entry): Promise<void> => {
    count += 1;
    return writeEntry(invocation, entry);
  };

  let last = after;
  if (tail !== undefined) last = await showTail({ bus, session, filter, tail, lastSeq, show });
  else if (following === undefined)
    for await (const entry of logEntries(bus, session, after, filter)) await show(entry);
  if (following === undefined && count === 0) invocation.output.word("no matching entries");
  return following === undefined ? done : followLog(invocation, following, { session, after: last, filter, show });
}

// Kinds are checked here rather than by agentd, because `-f` filters published entries in this process.
function parseKind(text: string): EntryKind {
  const known = entryKinds.find((kind) => kind === text);
  if (known === undefined) throw usageError(`unknown kind ${text}; the kinds are ${entryKinds.join(", ")}`);
  return known;
}

interface Tail {
  readonly bus: ReadingBus;
  readonly session: string;
  readonly filter: LogFilter;
  readonly tail: number;
  readonly lastSeq: number;
  readonly show: (entry: Entry) => Promise<void>;
}

/** Writes the last entries that match the filter. Returns the seq up to which the log was read. */
async function showTail({ bus, session, filter, tail, lastSeq, show }: Tail): Promise<number> {
  if (tail === 0) return lastSeq;
  const isFiltered = filter.kinds !== undefined || filter.turn !== undefined;
  // With a filter, the last N can be anywhere, so the whole log is read.
  const lastEntries: Entry[] = [];
  let last = isFiltered ? 0 : Math.max(0, lastSeq - tail);
  for await (const entry of logEntries(bus, session, last, filter)) {
    lastEntries.push(entry);
    if (lastEntries.length > tail) lastEntries.shift();
    last = entry.seq;
  }
  for (const entry of lastEntries) await show(entry);
  return Math.max(last, isFiltered ? lastSeq : 0);
}

interface LogToFollow {
  readonly session: string;
  readonly after: number | string;
  readonly filter: LogFilter;
  readonly show: (entry: Entry) => Promise<void>;
}

/** Writes new entries for `log -f` until Ctrl-C, even after the session has ended. */
async function followLog(invocation: Invocation, bus: AgentBus, what: LogToFollow): Promise<Outcome> {
  const { kinds, turn } = what.filter;
  const { entries, resumeHint, release } = await entriesUntilInterrupt(invocation, bus, what);
  try {
    for await (const entry of entries) {
      if (kinds !== undefined && !kinds.includes(entry.kind)) continue;
      if (turn === undefined || entry.turn === turn) await what.show(entry);
    }
    invocation.output.word(resumeHint());
    return { kind: "interrupted" };
  } finally {
    release();
  }
}

async function writeEntry({ output }: Invocation, entry: Entry): Promise<void> {
  if (output.mode === "json") return output.row(entry);
  if (output.mode === "ids") return output.line(`${entry.log}/${entry.session}/${entry.seq}`);
  for (const line of formatLogEntry(entry)) await output.line(line);
}
