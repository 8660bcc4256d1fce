// SPDX-License-Identifier: MIT OR Apache-2.0
// Texts that would repaint a terminal, hide a part of themselves or reverse their order if they were written unchanged.
import fc from "fast-check";

/** One text of each kind, all tried on a real terminal. */
export const hostileTexts: readonly string[] = [
  "\u001b[2J\u001b[H", // CSI
  "\u001b]0;title\u0007", // OSC, ended by BEL
  "\u001b]8;;http://evil\u001b\\link", // OSC, ended by ST
  "\u001bP+q544e\u001b\\", // DCS
  "\u001b_apc\u001b\\", // APC
  "\u001bc", // RIS
  "\u009b31m", // CSI as one C1 character
  "\u009d0;title\u009c", // OSC as C1
  "\r",
  "\b\b\b",
  "\u0000\u000b\u000c\u000e\u007f\u0085",
  "\u202edesrever\u202c", // bidirectional override
  "\u2066isolate\u2069",
  "\u200b\u2060\ufeff\u00ad\u034f\u180e", // drawn as nothing
  "\u3164\u115f\u1160\uffa0\u2800\u17b4", // drawn as blank
  "\u{e0041}\u{e0100}\ufe00\ud800", // tags, selectors, lone surrogate
];

/** Returns the harmful characters that remain besides the sequences of our own palette and prompt line. */
export function terminalControlsIn(written: string): string[] {
  const own =
    // eslint-disable-next-line no-control-regex
    /\u001b\[(?:[1-49]|2[2349]|3[269]|9[15]|1;4|22;24|1;95|22;39)m|\u001b\[[JK]|\u001b\[\d*A|\u001b\[\d+G|\u001b\[\?2004[hl]|\r(?=.*\u001b\[K)/g;
  return Array.from(written.replaceAll(own, "")).filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return harmful.some(([first, last]) => code >= first && code <= last);
  });
}

// Written by hand, not derived from the table under test.
const harmful: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
];

export const hostileText = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileTexts), fc.constantFrom("a", "\n", "\r\n")))
  .map((parts) => parts.join(""));
