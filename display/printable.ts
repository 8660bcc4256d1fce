// SPDX-License-Identifier: MIT OR Apache-2.0
// Text that others wrote, made safe to show: it cannot repaint a terminal, hide a part of itself or turn its order. This
// is the one table of characters for terminals, notifications and whatever else shows such text to people.

/**
 * Text of many lines: line feeds and tabs stay, a CR before a line feed goes. Every control, format, private and
 * unassigned character, every mark that is drawn as nothing and every lone surrogate becomes visible (`\x1b`, `\u202e`).
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(table, (found, kept?: string) => kept ?? escaped(found));
}

/** Text that must stay on one line (a title, a name, an option): line feeds become visible as well, a tab is a space. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, (character) => (character === "\n" ? "\\n" : " "));
}

/** JSON for a terminal: valid, and of the same value. Only within its strings can there be anything to escape. */
export function printableJson(json: string): string {
  if (plain.test(json)) return json;
  return json.replaceAll("\r", " ").replace(table, (found, kept?: string) => kept ?? escapedInJson(found));
}

// Most text is plain, and is not searched for more. All of these characters are assigned and are drawn: ASCII, Latin,
// punctuation, arrows, boxes and marks, kana, ideographs.
const plain =
  /^[\t\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/;

/**
 * Invisible characters that belong to the writing around them are kept there, and nowhere else: joiners between letters
 * of the scripts that need them (Persian, Devanagari), joiners and selectors within an emoji.
 */
const joiningScripts =
  "Arab Syrc Nkoo Mong Mand Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java Sund Lana";
const scripts = joiningScripts.replaceAll(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);
const letter = `[[[\\p{L}\\p{M}]&&[${scripts}]]--\\p{Default_Ignorable_Code_Point}]`;
/** One character, and no run of them: a run of a megabyte must not be looked at again from each of its letters. */
const joiner = `(?<=${letter})[\\u200c\\u200d](?=${letter})`;
const pictograph = "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?\\p{Emoji_Modifier}?";
const emoji = `${pictograph}(?:\\u200d${pictograph})*|[0-9#*]\\ufe0f\\u20e3`;
/** Signs of the Arabic and Kaithi scripts that are drawn, though Unicode calls them format characters. */
const drawn = "\\u0600-\\u0605\\u06dd\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}";
/** `\p{C}` has lone surrogates, private and unassigned code points in it; U+2800 is a Braille cell without a dot. */
const invisible = `[[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]--[\\t\\n${drawn}]]`;
const table = new RegExp(`(${joiner}|${emoji})|${invisible}`, "gv");

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/** By UTF-16 units: a character outside of the basic plane is written as two. */
function escapedInJson(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
