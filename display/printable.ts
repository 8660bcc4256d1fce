// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes text of others safe to show: it cannot repaint a terminal, hide a part of itself or reverse its order. This is
// the one table of characters for terminals, notifications and everything else that shows such text to people.

/**
 * For text of several lines: keeps line feeds and tabs, and removes a CR before a line feed. Escapes every control,
 * format, private-use and unassigned character, every character drawn as nothing and every lone surrogate (`\x1b`,
 * `\u202e`).
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(table(), (found, kept?: string) => kept ?? escaped(found));
}

/**
 * For text that must stay on one line (a title, a name, an option): escapes line feeds too, and turns tabs into spaces.
 */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, (character) => (character === "\n" ? "\\n" : " "));
}

/** Escapes JSON for a terminal without changing its value. Only its strings can contain characters to escape. */
export function printableJson(json: string): string {
  if (plain.test(json)) return json;
  return json.replaceAll("\r", " ").replace(table(), (found, kept?: string) => kept ?? escapedInJson(found));
}

// Most text is plain and needs no further search. All of these characters are assigned and visible: ASCII, Latin,
// punctuation, arrows, boxes and marks, kana, ideographs.
const plain =
  /^[\t\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/;

/**
 * Invisible characters are kept only where the writing needs them: joiners between letters of these scripts (Persian,
 * Devanagari), joiners and variation selectors within an emoji.
 */
const joiningScripts =
  "Arab Syrc Nkoo Mong Mand Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java Sund Lana";
const scripts = joiningScripts.replaceAll(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);
const letter = `[[[\\p{L}\\p{M}]&&[${scripts}]]--\\p{Default_Ignorable_Code_Point}]`;
/** Matches one character and not a run: a run of a megabyte would be scanned again from each of its letters. */
const joiner = `(?<=${letter})[\\u200c\\u200d](?=${letter})`;
const pictograph = "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?\\p{Emoji_Modifier}?";
const emoji = `${pictograph}(?:\\u200d${pictograph})*|[0-9#*]\\ufe0f\\u20e3`;
/** Arabic and Kaithi signs that are visible although Unicode classes them as format characters. */
const drawn = "\\u0600-\\u0605\\u06dd\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}";
/** `\p{C}` includes lone surrogates, private-use and unassigned code points. U+2800 is the blank Braille pattern. */
const invisible = `[[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]--[\\t\\n${drawn}]]`;
let compiled: RegExp | undefined;

/** Compiled on first use: that takes 4 % of a `mix agent ls`, and most text needs no escaping. */
function table(): RegExp {
  compiled ??= new RegExp(`(${joiner}|${emoji})|${invisible}`, "gv");
  return compiled;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/** Writes one `\u` escape per UTF-16 unit, as JSON has no other form. */
function escapedInJson(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
