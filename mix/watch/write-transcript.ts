// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes what is in a session's log as the live view shows it: a whole session, one turn, or what came before.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { logEntries, turnStart } from "../../agent-client/entries/read-log.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { joined, type Text } from "../../display/styled.ts";
import type { Invocation } from "../input/verb.ts";
import { detectScreen } from "../view/live-view.ts";
import { Transcript } from "../view/transcript.ts";

export interface PastEntries {
  /** The `seq` after which to begin. */
  readonly after: number;
  /** Only entries before this `seq`. Default: up to the present end of the log. */
  readonly before?: number;
  /** Only this turn. */
  readonly turn?: number;
}

/** Returns whether there were such entries. */
export async function writeTranscript(
  { context, output }: Pick<Invocation, "context" | "output">,
  bus: ReadingBus,
  { session, cwd, requests }: Pick<SessionSnapshot, "session" | "cwd" | "requests">,
  { after, before, turn }: PastEntries,
): Promise<boolean> {
  const open = new Set(requests.map(({ request }) => request));
  const transcript = new Transcript({
    ...detectScreen(context),
    showPrompts: true,
    directory: cwd,
    isOpen: (request) => open.has(request),
    now: context.now,
  });
  const isOfTurn = turn === undefined ? () => "shown" as const : turnFilter(turn);
  let count = 0;
  const texts: Text[] = [];
  const write = (): Promise<void> => output.text(joined(texts.splice(0)));
  for await (const entry of logEntries(bus, session, after, { before })) {
    const place = isOfTurn(entry);
    if (place === "past") break;
    // Once a turn has begun, nobody needs to know that it waited.
    if (place === "other" || (entry.kind === "turn" && entry.phase === "queued")) continue;
    texts.push(transcript.show(entry));
    if ((count += 1) % textsPerWrite === 0) await write();
  }
  texts.push(transcript.end());
  await write();
  return count > 0;
}

const textsPerWrite = 64;

/** Entries that belong to no turn, such as a cancellation, are shown while the turn runs. */
function turnFilter(turn: number): (entry: Entry) => "shown" | "other" | "past" {
  let isRunning = false;
  return (entry) => {
    if (entry.kind === "turn" && entry.phase === "started") isRunning = entry.turn === turn;
    if (entry.kind === "turn" && entry.phase === "started" && entry.turn > turn) return "past";
    return entry.turn === turn || (entry.turn === undefined && isRunning) ? "shown" : "other";
  };
}

/** Writes one turn, or the whole session. */
export async function writeTurns(
  invocation: Pick<Invocation, "context" | "output">,
  bus: ReadingBus,
  snapshot: SessionSnapshot,
  turn: number | undefined,
): Promise<boolean> {
  if (turn === undefined) return writeTranscript(invocation, bus, snapshot, { after: 0 });
  const after = await turnStart(bus, snapshot.session, turn);
  return writeTranscript(invocation, bus, snapshot, { after, turn });
}
