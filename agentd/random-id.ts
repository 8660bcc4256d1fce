// SPDX-License-Identifier: MIT OR Apache-2.0

/** Returns 12 random characters of a-z and 2-7 (60 bits), which a person can read out. */
export function randomId(random: (bytes: number) => Uint8Array): string {
  return Array.from(random(idLength), (byte) => alphabet[byte % alphabet.length]).join("");
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const idLength = 12;
