// SPDX-License-Identifier: MIT OR Apache-2.0
// The turns of a session and their rows, of which the oldest are dropped beyond a bound.
import type { Entry, TruncatedEntry, TurnEntry } from "../../agentd/vocabulary/entries.ts";
import { approximateLength } from "../../json/approximate-length.ts";
import type { Row, RowContent, RowOf } from "./rows.ts";

export interface TurnView extends Partial<Omit<TurnEntry, "kind" | "turn">> {
  /** 0: what came before the first turn. */
  readonly turn: number;
  /** When it was queued, started and ended. */
  readonly at?: { readonly [Phase in TurnEntry["phase"]]?: string };
  /** In the order of the log. What belongs to no turn stands in the one that began last. */
  readonly rows: readonly Row[];
}

export interface Bounds {
  readonly rowsMax: number;
  /** UTF-16 code units of all rows, approximately. */
  readonly unitsMax: number;
}

export interface Transcript {
  /** The turns that have rows or have not ended, in order. Those of the phase `queued` are the queue. */
  readonly turns: readonly TurnView[];
  readonly bounds: Bounds;
  readonly size: { readonly rows: number; readonly units: number };
  /** How many rows were dropped. The log has their entries. */
  readonly dropped: number;
}

/** A transcript that an entry is being applied to: its members may be replaced, and nothing in them. */
export type TranscriptDraft = { -readonly [Member in keyof Transcript]: Transcript[Member] };

/** Changes a turn, which is added if it is new. */
export function changeTurn(draft: TranscriptDraft, number: number, change: (turn: TurnView) => TurnView): void {
  const { turns } = draft;
  const index = turns.findLastIndex(({ turn }) => turn <= number);
  const found = turns[index];
  draft.turns =
    found?.turn === number
      ? turns.with(index, change(found))
      : turns.toSpliced(index + 1, 0, change({ turn: number, rows: [] }));
}

export interface Place<K extends Row["kind"]> {
  readonly turn: TurnView;
  readonly index: number;
  readonly row: RowOf<K>;
}

/** Finds the newest row that fits. */
export function findRow<K extends Row["kind"]>(
  { turns }: TranscriptDraft,
  kind: K,
  fits: (row: RowOf<K>) => boolean,
): Place<K> | undefined {
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at]!;
    const index = turn.rows.findLastIndex((row) => row.kind === kind && fits(row as RowOf<K>));
    if (index >= 0) return { turn, index, row: turn.rows[index] as RowOf<K> };
  }
  return undefined;
}

/** The last row of the turn in which the entry belongs. */
export function lastRow(draft: TranscriptDraft, entry: Entry): Place<Row["kind"]> | undefined {
  const number = turnOf(draft, entry);
  const turn = draft.turns.findLast((one) => one.turn === number);
  const row = turn?.rows.at(-1);
  return turn && row && { turn, index: turn.rows.length - 1, row };
}

/** Replaces the row of the place, or adds a row to the entry's turn. */
export function putRow<C extends RowContent>(
  draft: TranscriptDraft,
  entry: Entry | TruncatedEntry,
  place: Place<C["kind"]> | undefined,
  content: C,
): void {
  const head = place?.row ?? {
    seq: entry.seq,
    at: "at" in entry ? entry.at : undefined,
    late: "late" in entry && entry.late === true,
  };
  const units = approximateLength(content, draft.bounds.unitsMax);
  const row: Row = { seq: head.seq, at: head.at, late: head.late, last: entry.seq, units, ...content };
  changeTurn(draft, place?.turn.turn ?? turnOf(draft, entry), (turn) => ({
    ...turn,
    rows: place === undefined ? [...turn.rows, row] : turn.rows.with(place.index, row),
  }));
  const { size } = draft;
  draft.size = {
    rows: size.rows + (place === undefined ? 1 : 0),
    units: size.units + units - (place?.row.units ?? 0),
  };
}

function turnOf({ turns }: TranscriptDraft, entry: Entry | TruncatedEntry): number {
  if ("turn" in entry && entry.turn !== undefined) return entry.turn;
  return turns.findLast(({ phase }) => phase !== "queued")?.turn ?? 0;
}

/** Drops the oldest rows beyond the bounds, and some more, so that this is not done at each entry. */
export function trim(draft: TranscriptDraft): void {
  const { bounds, size, turns } = draft;
  if (size.rows <= bounds.rowsMax && size.units <= bounds.unitsMax) return;
  const kept = { rows: 0, units: 0 };
  let isFull = false;
  const fits = ({ units }: Row): boolean =>
    kept.rows === 0 || (kept.rows < bounds.rowsMax * keptShare && kept.units + units <= bounds.unitsMax * keptShare);
  const cut = turns.toReversed().map((turn) => {
    let from = turn.rows.length;
    for (let row = turn.rows[from - 1]; row !== undefined && !isFull; row = turn.rows[from - 1]) {
      isFull = !fits(row);
      if (isFull) break;
      from -= 1;
      kept.rows += 1;
      kept.units += row.units;
    }
    return from === 0 ? turn : { ...turn, rows: turn.rows.slice(from) };
  });
  draft.turns = cut
    .toReversed()
    .filter(({ phase, rows }) => rows.length > 0 || phase === "queued" || phase === "started");
  draft.dropped += size.rows - kept.rows;
  draft.size = kept;
}

const keptShare = 0.9;
