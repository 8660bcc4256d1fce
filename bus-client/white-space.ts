// SPDX-License-Identifier: MIT OR Apache-2.0

// White space on the Bus is Unicode's White_Space. JavaScript's trim() differs in two characters: it keeps U+0085 and
// removes U+FEFF.

export function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code === 0x85 || code === 0xa0) return true;
  if (code < 0x1680) return false;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
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
  for (let index = 0; index < text.length; index++) {
    if (isWhiteSpace(text.charCodeAt(index))) return true;
  }
  return false;
}
