// SPDX-License-Identifier: MIT OR Apache-2.0

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** For the end of a name that several may want. `random`: from 0 up to 1. */
export function randomLetters(count: number, random: () => number): string {
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
