// SPDX-License-Identifier: MIT OR Apache-2.0
// Separates pastes from keys in what a terminal sends. A terminal in bracketed paste mode puts markers around a paste.

export interface Paste {
  /** As the terminal sent it. Undefined if it was longer than the limit. */
  readonly text: string | undefined;
  /** In UTF-16 units. */
  readonly length: number;
}

/**
 * A paste ends at its end marker and, as its text may contain a false one followed by a line end, not before the terminal
 * is quiet: what comes right after a marker is text of the paste, so that no paste can press Enter.
 */
export class PasteSplitter {
  readonly #unitsMax: number;
  /** `keys`: outside of a paste; `paste`: before its end marker; `tail`: after one. */
  #place: "keys" | "paste" | "tail" = "keys";
  /** Input that may be the beginning of a marker. */
  #held = "";
  /** Whether the first unit of `#held`, an Escape, was returned as a key already. */
  #isEscapeGiven = false;
  #pieces: string[] = [];
  #length = 0;

  /** A paste of more UTF-16 units than `unitsMax` is not kept. */
  constructor(unitsMax: number) {
    this.#unitsMax = unitsMax;
  }

  get isPasting(): boolean {
    return this.#place !== "keys";
  }

  /** Whether an end marker has come, so that quiet ends the paste. */
  get awaitsQuiet(): boolean {
    return this.#place === "tail";
  }

  /** Returns the keys before the beginning of a paste. */
  push(input: string): string {
    const keys = this.#split(this.#held + input);
    if (keys === "") {
      if (this.isPasting) this.#isEscapeGiven = false;
      return "";
    }
    const fresh = this.#isEscapeGiven ? keys.slice(1) : keys;
    // The Escape key must not wait for what comes next, and a marker may be cut right behind its Escape.
    this.#isEscapeGiven = this.#place === "keys" && this.#held === "" && keys.endsWith(escape);
    if (this.#isEscapeGiven) this.#held = escape;
    return fresh;
  }

  /** Keeps what belongs to a paste, holds back what may begin a marker, and returns the rest. */
  #split(input: string): string {
    let keys = "";
    let rest = input;
    this.#held = "";
    while (rest !== "") {
      const marker = this.#place === "paste" ? pasteEnd : pasteStart;
      const at = this.#place === "tail" ? rest.search(anyMarker) : rest.indexOf(marker);
      const end = at < 0 ? rest.length - heldLength(rest, this.#place) : at;
      const text = rest.slice(0, end);
      if (this.#place === "keys") keys += text;
      else this.#keep(text);
      if (at < 0) {
        this.#held = rest.slice(end);
        return keys;
      }
      this.#place = rest.startsWith(pasteStart, at) ? "paste" : "tail";
      rest = rest.slice(at + marker.length);
    }
    return keys;
  }

  /** Ends the paste. Call it when nothing has come for a moment after an end marker. */
  end(): Paste {
    this.#keep(this.#held);
    this.#held = "";
    const [text, length] = [this.#pieces.join(""), this.#length];
    this.#place = "keys";
    this.#pieces = [];
    this.#length = 0;
    return { text: length > this.#unitsMax ? undefined : text, length };
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length > this.#unitsMax) this.#pieces = [];
    else if (text !== "") this.#pieces.push(text);
  }
}

/**
 * Makes pasted text safe to send and to show: line ends are line feeds, escape sequences (colours, links, marker) and other
 * control characters are left out. Tabs are kept.
 */
export function withoutControls(pasted: string): string {
  return pasted.replaceAll(/\r\n?/g, "\n").replaceAll(escapeSequence, "").replaceAll(controlCharacter, "");
}

const escape = "\u001b";
const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";
// eslint-disable-next-line no-control-regex
const anyMarker = /\u001b\[20[01]~/;

/** The length of the end of `text` that may begin a marker. A lone Escape is held only in a paste: it is also a key. */
function heldLength(text: string, place: "keys" | "paste" | "tail"): number {
  const least = place === "keys" ? 2 : 1;
  for (let length = Math.min(pasteStart.length - 1, text.length); length >= least; length -= 1) {
    const end = text.slice(-length);
    if (pasteStart.startsWith(end) || pasteEnd.startsWith(end)) return length;
  }
  return 0;
}

/** CSI; OSC, DCS and their like up to BEL or ST in the same line; other sequences of two or more characters. */
const escapeSequence =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])(?:[^\n\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c))?|\u001b[ -/]*[0-~]?/g;
// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
