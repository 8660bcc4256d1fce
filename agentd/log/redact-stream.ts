// SPDX-License-Identifier: MIT OR Apache-2.0
// A secret that an agent said is cut where its chunks were cut. The chunks of one message are looked through as the one
// text that they are.
import { secretIn, type Stretch } from "./redact-text.ts";
import type { SecretSearch } from "./secret-search.ts";
import type { Steps } from "./steps.ts";
import type { TextStream } from "./text-streams.ts";

/** What of an entry's chunk goes; `place` is that of the chunk among the strings of the entry's JSON. */
export interface ChunkStretch extends Stretch {
  readonly id: number;
  readonly place: number;
}

export interface Chunk {
  readonly id: number;
  readonly place: number;
  readonly value: string;
}

/** The chunks of a text, handed in in order. The stretches can be of this chunk and of those before it. */
export function* secretInChunk(
  stream: TextStream<Tail>,
  { id, place, value }: Chunk,
  secret: SecretSearch,
): Steps<ChunkStretch[]> {
  const { value: before, pieces } = stream.kept ?? { value: "", pieces: [] };
  const joined = before + value;
  const parts = [...pieces, { id, place, units: value.length }];
  const stretches = yield* secretIn(joined, secret);
  stream.kept = tailOf(joined, parts, tailUnits(joined, stretches.at(-1), secret));
  return stretches.flatMap((stretch) => inParts(stretch, parts));
}

/** The end of a text in which the secret may have begun. */
export interface Tail {
  readonly value: string;
  readonly pieces: readonly Piece[];
}

/** The last units of an entry's chunk. */
interface Piece {
  readonly id: number;
  readonly place: number;
  readonly units: number;
}

/** A byte of the secret is one unit at most, and two where it is escaped as `\n` is; what is found is done with. */
function tailUnits(joined: string, last: Stretch | undefined, { length }: SecretSearch): number {
  const whole = last?.to ?? joined.length;
  const escaped = Math.min(2 * (length - 1), whole);
  const isEscaped = joined.slice(joined.length - escaped).includes("\\");
  return isEscaped ? escaped : Math.min(length - 1, whole);
}

function tailOf(joined: string, parts: readonly Piece[], units: number): Tail {
  const pieces: Piece[] = [];
  for (let left = units, index = parts.length - 1; left > 0 && index >= 0; index -= 1) {
    const part = parts[index]!;
    pieces.unshift({ ...part, units: Math.min(part.units, left) });
    left -= part.units;
  }
  return { value: copied(joined.slice(joined.length - units)), pieces };
}

/** A slice would hold the whole of what it was cut from in memory. */
function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Each chunk's own part of what goes; counted from the end, as stretches are. */
function inParts(stretch: Stretch, parts: readonly Piece[]): ChunkStretch[] {
  const found: ChunkStretch[] = [];
  let after = 0;
  for (const { id, place, units } of parts.toReversed()) {
    const from = Math.min(stretch.from - after, units);
    const to = Math.max(stretch.to - after, 0);
    if (from > to) found.push({ id, place, from, to });
    after += units;
  }
  return found.toReversed();
}
