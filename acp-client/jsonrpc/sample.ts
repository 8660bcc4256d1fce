// SPDX-License-Identifier: MIT OR Apache-2.0

/** Truncates a text to `charactersMax` UTF-16 units, without splitting a surrogate pair. */
export function truncateText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const last = text.charCodeAt(charactersMax - 1);
  const cut = last >= 0xd800 && last <= 0xdbff ? charactersMax - 1 : charactersMax;
  // Copies the text, since a slice would keep the whole original in memory.
  return Buffer.from(text.slice(0, cut), "utf8").toString("utf8");
}
