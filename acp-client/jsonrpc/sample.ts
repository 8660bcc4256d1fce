// SPDX-License-Identifier: MIT OR Apache-2.0

/** At most `charactersMax` UTF-16 units of a text, never half a character, and not holding on to the whole text. */
export function truncateText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const last = text.charCodeAt(charactersMax - 1);
  const cut = last >= 0xd800 && last <= 0xdbff ? charactersMax - 1 : charactersMax;
  // A slice would keep the whole line alive as long as the sample lives; a copy does not.
  return Buffer.from(text.slice(0, cut), "utf8").toString("utf8");
}
