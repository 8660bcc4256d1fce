// SPDX-License-Identifier: MIT OR Apache-2.0
// Which tool calls are known, to which turn each belongs, and which are still open. The newest closed ones are
// remembered, so that a late update goes to the turn that created its call. A change copies some dozens of entries at
// most of what is closed, however many calls a turn has.
import { finalToolStatuses } from "../../../vocabulary/entries.ts";

export interface ToolLedger {
  /** With their turns, oldest first; how many there may be is the session's to say. */
  readonly open: ReadonlyMap<string, Turn>;
  /** Newest first. */
  readonly closed: readonly ReadonlyMap<string, Turn>[];
}

/** Undefined: the call came before the first turn. */
type Turn = number | undefined;

/** Closed calls that are remembered: so many pieces of so many calls. */
const chunksMax = 64;
const callsPerChunk = 64;

export const emptyLedger: ToolLedger = { open: new Map(), closed: [] };

/** The turn of a tool call that was seen before; undefined when this is its first sight. */
export function findTool({ open, closed }: ToolLedger, id: string): { readonly turn: Turn } | undefined {
  if (open.has(id)) return { turn: open.get(id) };
  const chunk = closed.find((calls) => calls.has(id));
  return chunk && { turn: chunk.get(id) };
}

/**
 * After a sight of the tool call, `turn` being the one that it belongs to if it is its first; the same ledger where
 * nothing changed, which is the common case of a streamed output. A call that was closed is open again only if its
 * agent says so.
 */
export function recordTool(ledger: ToolLedger, id: string, turn: Turn, status: unknown): ToolLedger {
  const seen = findTool(ledger, id);
  const wasOpen = ledger.open.has(id);
  const opens = status === undefined || status === null ? wasOpen || !seen : !finalToolStatuses.has(status);
  if (seen && opens === wasOpen) return ledger;
  const open = new Map(ledger.open);
  const owner = seen ? seen.turn : turn;
  if (opens) return { ...ledger, open: open.set(id, owner) };
  open.delete(id);
  return { open: wasOpen ? open : ledger.open, closed: rememberClosed(ledger.closed, id, owner) };
}

export function listOpenTools({ open }: ToolLedger): string[] {
  return [...open.keys()];
}

function rememberClosed(closed: ToolLedger["closed"], id: string, turn: Turn): ToolLedger["closed"] {
  const [newest, ...older] = closed;
  if (newest && newest.size < callsPerChunk) return [new Map(newest).set(id, turn), ...older];
  return [new Map([[id, turn]]), ...closed].slice(0, chunksMax);
}
