// SPDX-License-Identifier: MIT OR Apache-2.0
// The numbers by which the log stores the kinds of entries. A number that was ever written never changes its meaning.
import type { EntryKind } from "../vocabulary/index.ts";

/** Each is below 31, since a set of kinds is a bit mask. */
export const kindNumbers: Readonly<Record<EntryKind, number>> = {
  command: 1,
  reply: 2,
  state: 3,
  turn: 4,
  message: 5,
  tool_call: 6,
  plan: 7,
  commands: 8,
  options: 9,
  info: 10,
  usage: 11,
  notice: 12,
  compaction: 13,
  permission: 14,
  extension: 15,
  diagnostic: 16,
  elicitation: 17,
  file: 18,
  terminal: 19,
};

const kindNames: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(kindNumbers).map(([kind, number]) => [number, kind as EntryKind]),
);

export function kindName(number: number): EntryKind {
  const kind = kindNames.get(number);
  if (kind === undefined)
    throw new Error(`the log holds an entry of kind ${number}, which no agentd of this schema wrote`);
  return kind;
}

/** Ignores unknown kinds, since no entry is of such a kind. */
export function kindMask(kinds: readonly string[]): number {
  let mask = 0;
  for (const kind of kinds) if (Object.hasOwn(kindNumbers, kind)) mask |= 1 << kindNumbers[kind as EntryKind];
  return mask;
}
