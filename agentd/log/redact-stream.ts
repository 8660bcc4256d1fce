// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds a secret that is split over the chunks of a message: the chunks are searched as one text.
import { secretIn, type Stretch } from "./redact-text.ts";
import type { SecretSearch } from "./secret-search.ts";
import type { Steps } from "./steps.ts";
import type { TextStream } from "./text-streams.ts";

/** A stretch of an entry's chunk to redact. `place`: index of the chunk among the strings of the entry's JSON. */
export interface ChunkStretch extends Stretch {
  readonly id: number;
  readonly place: number;
}

export interface Chunk {
  readonly id: number;
  readonly place: number;
  readonly value: string;
}

/** Call with the chunks of a text in order. The returned stretches can be of this chunk and of earlier ones. */
export function* secretInChunk(
  stream: TextStream<Tail>,
  { id, place, value }: Chunk,
  secret: SecretSearch,
): Steps<ChunkStretch[]> {
  const { value: before, pieces } = stream.state ?? { value: "", pieces: [] };
  const joined = before + value;
  const parts = [...pieces, { id, place, units: value.length }];
  const stretches = yield* secretIn(joined, secret);
  stream.state = tailOf(joined, parts, tailUnits(joined, stretches.at(-1), secret));
  return stretches.flatMap((stretch) => splitByChunk(stretch, parts));
}

/** The end of the text so far, in which the secret may have begun. */
export interface Tail {
  readonly value: string;
  readonly pieces: readonly ChunkEnd[];
}

/** The last code units of an entry's chunk. */
interface ChunkEnd {
  readonly id: number;
  readonly place: number;
  readonly units: number;
}

/** A byte of the secret is at most one code unit, or two if it is escaped like `\n`. A found secret is not in the tail. */
function tailUnits(joined: string, last: Stretch | undefined, { length }: SecretSearch): number {
  const whole = last?.to ?? joined.length;
  const escaped = Math.min(2 * (length - 1), whole);
  const isEscaped = joined.slice(joined.length - escaped).includes("\\");
  return isEscaped ? escaped : Math.min(length - 1, whole);
}

function tailOf(joined: string, parts: readonly ChunkEnd[], units: number): Tail {
  const pieces: ChunkEnd[] = [];
  for (let left = units, index = parts.length - 1; left > 0 && index >= 0; index -= 1) {
    const part = parts[index]!;
    pieces.unshift({ ...part, units: Math.min(part.units, left) });
    left -= part.units;
  }
  return { value: copied(joined.slice(joined.length - units)), pieces };
}

/** Copies a text, since a slice would keep the whole text that it was cut from in memory. */
function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Splits a stretch at the chunks. Stretches count from the end of their string. */
function splitByChunk(stretch: Stretch, parts: readonly ChunkEnd[]): ChunkStretch[] {
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
