// SPDX-License-Identifier: MIT OR Apache-2.0
// Which tool calls are known, to which turn each belongs, and which are still open. A tool call of a past turn is
// remembered for some turns, so that a late update goes to the turn that created it.

export interface ToolLedger {
  /** Of the running turn, and open ones of earlier turns. */
  readonly known: ReadonlyMap<string, KnownTool>;
  readonly past: readonly PastTools[];
}

export interface KnownTool {
  readonly turn: number | undefined;
  readonly open: boolean;
}

interface PastTools {
  readonly turn: number;
  readonly ids: ReadonlySet<string>;
}

/** Turns whose tool calls are remembered after their end. */
const pastTurnsMax = 64;

export const noTools: ToolLedger = { known: new Map(), past: [] };

const finalStatuses: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** The turn of a tool call that was seen before; undefined when this is its first sight. */
export function findTool(ledger: ToolLedger, id: string): { readonly turn: number | undefined } | undefined {
  const known = ledger.known.get(id);
  if (known) return known;
  for (const past of ledger.past) if (past.ids.has(id)) return { turn: past.turn };
  return undefined;
}

/**
 * After a sight of the tool call; the same ledger where nothing changed, which is the common case of a streamed output.
 * A call of a past turn was closed with it, and is open again only if its agent says so.
 */
export function noteTool(ledger: ToolLedger, id: string, turn: number | undefined, status: unknown): ToolLedger {
  const known = ledger.known.get(id);
  const wasOpen = known ? known.open : findTool(ledger, id) === undefined;
  const open = status === undefined || status === null ? wasOpen : !finalStatuses.has(status);
  if (known ? known.open === open : !open && findTool(ledger, id) !== undefined) return ledger;
  const next = new Map(ledger.known);
  next.set(id, { turn: known ? known.turn : turn, open });
  return { ...ledger, known: next };
}

export function openTools(ledger: ToolLedger): string[] {
  return [...ledger.known].filter(([, tool]) => tool.open).map(([id]) => id);
}

/** After a turn has ended and what was open was closed: each call is remembered with its own turn. */
export function endTurnTools(ledger: ToolLedger, turn: number): ToolLedger {
  if (ledger.known.size === 0) return ledger;
  const past = new Map(ledger.past.map(({ turn: earlier, ids }) => [earlier, new Set(ids)]));
  for (const [id, known] of ledger.known) {
    const owner = known.turn ?? turn;
    const ids = past.get(owner);
    if (ids) ids.add(id);
    else past.set(owner, new Set([id]));
  }
  const newestFirst = [...past].sort(([one], [other]) => other - one).slice(0, pastTurnsMax);
  return { known: new Map(), past: newestFirst.map(([owner, ids]) => ({ turn: owner, ids })) };
}
