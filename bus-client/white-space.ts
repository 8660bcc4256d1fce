// SPDX-License-Identifier: MIT OR Apache-2.0

// White space on the Bus is Unicode's White_Space. JavaScript's trim() differs in two characters: it keeps U+0085 and
// removes U+FEFF.

const whiteSpace = /\p{White_Space}/u;

export function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return whiteSpace.test(String.fromCharCode(code));
}

export function trimBoth(text: string): string {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  let end = text.length;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

export function trimTail(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}

export function hasWhiteSpace(text: string): boolean {
  return whiteSpace.test(text);
}
