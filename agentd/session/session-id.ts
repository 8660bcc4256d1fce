// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's id: 12 random characters of a-z and 2-7, which a person can read out.

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const idLength = 12;

export function newSessionId(random: (bytes: number) => Uint8Array, taken: (id: string) => boolean): string {
  for (;;) {
    const id = Array.from(random(idLength), (byte) => alphabet[byte % alphabet.length]).join("");
    if (!taken(id)) return id;
  }
}
