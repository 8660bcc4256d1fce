// SPDX-License-Identifier: MIT OR Apache-2.0
// Seeded mutations of valid JSON lines.

export type Random = () => number;

/** Mulberry32: numbers from 0 up to 1, the same for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Changes the bytes of a line, or, more often, one value in it, which keeps it JSON. */
export function mutateLine(random: Random, line: string): string {
  return random() < 0.3 ? mutateText(random, line) : JSON.stringify(mutateValue(random, JSON.parse(line)));
}

function mutateText(random: Random, line: string): string {
  const at = Math.floor(random() * line.length);
  const strange = ["\0", '"', "{", "]", "\\", "\\ud800", "\u2028", "\uFEFF", "\r", " ", "1e999", "\n", "é"];
  return pick(random, [
    () => line.slice(0, at),
    () => line.slice(at),
    () => line.slice(0, at) + pick(random, strange) + line.slice(at),
    () => line.slice(0, at) + line.slice(at + 1 + Math.floor(random() * 8)),
    () => line + line,
  ])();
}

const strangeValues: readonly unknown[] = [
  null,
  true,
  "",
  " ",
  0,
  -1,
  1.5,
  2 ** 60,
  [],
  {},
  [[]],
  "__proto__",
  { __proto__: null, constructor: 1 },
  "x".repeat(5_000),
  "\u0000\u001B[2J\u202E",
  "../../etc/passwd",
];

/** Replaces, removes, doubles or adds one value somewhere inside. */
export function mutateValue(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random() < 0.15) return pick(random, strangeValues);
  if (Array.isArray(value)) {
    if (value.length === 0) return [pick(random, strangeValues)];
    const at = Math.floor(random() * value.length);
    return pick(random, [
      () => value.toSpliced(at, 1),
      () => value.toSpliced(at, 0, value[at]),
      () => value.with(at, mutateValue(random, value[at])),
    ])();
  }
  const names = Object.keys(value);
  const name = names.length === 0 ? "" : pick(random, names);
  const { [name]: chosen, ...rest } = value as Record<string, unknown>;
  if (name === "" || random() < 0.1) return { ...value, [pick(random, ["id", "method", "_meta", "type", "kind"])]: 1 };
  return random() < 0.2 ? rest : { ...value, [name]: mutateValue(random, chosen) };
}
