// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent wrote, made safe to show: it must not be able to repaint the terminal, hide text or turn its order.

/**
 * Text of many lines: line feeds and tabs stay, a CR before a line feed goes. Every control character, escape,
 * bidirectional mark, invisible character and lone surrogate becomes visible (`\x1b`, `\u202e`).
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  dangerous ??= new RegExp(dangerousClass, "gu");
  return text.replace(crlf, "\n").replace(dangerous, escaped);
}

/** Text that must stay on one line (a title, a name, an option): line feeds and tabs become visible as well. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, (character) => (character === "\n" ? "\\n" : " "));
}

// C0 but for tab and line feed, DEL and C1; soft hyphen and other marks that are drawn as nothing; bidirectional marks,
// embeddings, overrides and isolates; line and paragraph separators; tag characters; halves of surrogate pairs.
// The joiners U+200C and U+200D and the variation selectors stay: scripts and emoji are written with them.
const dangerousClass =
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\u{d800}-\\u{dfff}]";
let dangerous: RegExp | undefined;
// Most text is plain, and is not searched for all that.
const plain = /^[\t\n\u0020-\u007e]*$/;
const crlf = /\r\n/g;

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}
