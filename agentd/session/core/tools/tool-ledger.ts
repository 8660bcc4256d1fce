// SPDX-License-Identifier: MIT OR Apache-2.0
// Tracks which tool calls are open and to which turn each belongs. The newest closed calls are remembered, so that a
// late update goes to the turn that created its call. A change copies at most one chunk of the closed calls, however
// many a turn has.
import { finalToolStatuses } from "../../../vocabulary/entries.ts";

export interface ToolLedger {
  /** Open calls with their turns, oldest first. The session limits their number. */
  readonly open: ReadonlyMap<string, Turn>;
  /** Chunks of closed calls, newest first. */
  readonly closed: readonly ReadonlyMap<string, Turn>[];
}

/** Undefined when the call came before the first turn. */
type Turn = number | undefined;

/** Bounds of the remembered closed calls: chunks, and calls in each. */
const chunksMax = 64;
const callsPerChunk = 64;

export const emptyLedger: ToolLedger = { open: new Map(), closed: [] };

/** Returns the turn of a known call, or undefined when the call is new. */
export function findTool({ open, closed }: ToolLedger, id: string): { readonly turn: Turn } | undefined {
  if (open.has(id)) return { turn: open.get(id) };
  const chunk = closed.find((calls) => calls.has(id));
  return chunk && { turn: chunk.get(id) };
}

/**
 * Records an update; `turn` is the owner if the call is new. Returns the same ledger when nothing changed, as in most
 * streamed output. A closed call opens again only when the agent says so.
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
