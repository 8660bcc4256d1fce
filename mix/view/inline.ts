// SPDX-License-Identifier: MIT OR Apache-2.0
// Markdown within a line: emphasis, code, links and escapes. A mark without its counterpart in the same line is text.

/** A set of bits. */
export type Marks = number;
export const marks = { strong: 1, emphasis: 2, code: 4, link: 8, struck: 16, note: 32, heading: 64 } as const;

export interface InlineOptions {
  /** The character before the text; empty at the line's beginning. */
  readonly before: string;
  readonly marks: Marks;
  /** Nothing follows: what is open now stays open. */
  readonly isWhole: boolean;
  /** Takes an open mark as if its counterpart followed, for text that is shown for now. */
  readonly closesAll?: boolean;
  /** Shows the marks as well, where emphasis cannot be seen otherwise. */
  readonly keepsMarks: boolean;
  readonly emit: (text: string, marks: Marks) => void;
}

/** Emits what is certain. Returns the rest, which what follows can still change: an open mark and the text after it. */
export function parseInline(text: string, options: InlineOptions): string {
  const { emit, keepsMarks } = options;
  let from = 0;
  const emitUntil = (end: number): void => {
    if (end > from) emit(text.slice(from, end), options.marks);
  };
  special.lastIndex = 0;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    const at = found.index;
    const before = at === 0 ? options.before : text[at - 1]!;
    const span = spanAt(text, at, before, options);
    if (span === "unknown") {
      emitUntil(at);
      return text.slice(at);
    }
    const { end } = span;
    if (span.kind !== "text") {
      emitUntil(at);
      from = end;
      if (span.kind === "escape") emit(text.slice(at + 1, end), options.marks);
      else {
        const mark = keepsMarks ? span.mark : "";
        if (mark !== "") emit(mark, options.marks);
        if (span.kind === "code") emit(span.inner, options.marks | marks.code);
        else {
          const inside = { ...options, before: "", marks: options.marks | span.adds, isWhole: true };
          parseInline(span.inner, inside);
        }
        if (mark !== "") emit(mark, options.marks);
        if (span.note !== undefined) emit(` (${span.note})`, options.marks | marks.note);
      }
    }
    special.lastIndex = end;
  }
  emitUntil(text.length);
  return "";
}

type Span =
  | "unknown"
  | { readonly kind: "text"; readonly end: number }
  | { readonly kind: "escape"; readonly end: number }
  | {
      readonly kind: "code" | "marked";
      readonly end: number;
      readonly inner: string;
      readonly adds: Marks;
      readonly mark: string;
      /** The target of a link. */
      readonly note?: string;
    };

function spanAt(whole: string, at: number, before: string, options: InlineOptions): Span {
  // A counterpart counts only within a bound, or an open mark would hold back all that follows.
  const text = whole.length > at + heldMax ? whole.slice(0, at + heldMax) : whole;
  const isWhole = options.isWhole || text.length < whole.length;
  const character = text[at]!;
  const next = text[at + 1];
  const asText = (length: number): Span => ({ kind: "text", end: at + length });
  /** Without a counterpart so far. */
  const open = (length: number, adds: Marks): Span => {
    if (options.closesAll === true && adds !== 0) {
      const [mark, inner] = [text.slice(at, at + length), whole.slice(at + length)];
      return { kind: adds === marks.code ? "code" : "marked", end: whole.length, inner, adds, mark };
    }
    return isWhole ? asText(length) : "unknown";
  };
  if (next === undefined && !isWhole) return "unknown";
  switch (character) {
    case "\\":
      return next !== undefined && punctuation.test(next) ? { kind: "escape", end: at + 2 } : asText(1);
    case "!":
      return next === "[" ? linkAt(text, at + 1, isWhole) : asText(1);
    case "[":
      return linkAt(text, at, isWhole);
    default: {
      const length = runLength(text, at, character);
      if (at + length === text.length && !isWhole) return "unknown";
      if (character !== "`") return emphasisAt(text, at, length, before, isWhole, open);
      const end = codeEnd(text, at, length, isWhole);
      if (end === undefined) return open(length, marks.code);
      const written = text.slice(at + length, end - length);
      const inner = /^ .*[^ ].* $/.test(written) ? written.slice(1, -1) : written;
      return { kind: "code", end, inner, adds: marks.code, mark: text.slice(at, at + length) };
    }
  }
}

type Open = (length: number, adds: Marks) => Span;

/** Where a code span ends that begins with so many backquotes; undefined if it does not, or if that is not certain yet. */
function codeEnd(text: string, at: number, length: number, isWhole: boolean): number | undefined {
  for (let end = text.indexOf("`", at + length); end >= 0;) {
    const run = runLength(text, end, "`");
    const isCertain = isWhole || end + run < text.length;
    if (run === length && isCertain) return end + run;
    end = text.indexOf("`", end + run);
  }
  return undefined;
}

function emphasisAt(text: string, at: number, length: number, before: string, isWhole: boolean, open: Open): Span {
  const character = text[at]!;
  const adds = character === "~" ? (length === 2 ? marks.struck : 0) : ([0, 2, 1, 3][length] ?? 0);
  const start = at + length;
  if (adds === 0 || !opens(character, before, text[start])) return { kind: "text", end: start };
  for (let end = start; end < text.length; end += 1) {
    const here = text[end];
    if (here === "\\") end += 1;
    else if (here === "`") {
      const run = runLength(text, end, "`");
      const code = codeEnd(text, end, run, isWhole);
      if (code === undefined && !isWhole) return open(length, adds);
      end = (code ?? end + run) - 1;
    } else if (here === character) {
      const run = runLength(text, end, character);
      if (end + run === text.length && !isWhole) return open(length, adds);
      if (run === length && end > start && closes(character, text[end - 1]!, text[end + run])) {
        return { kind: "marked", end: end + run, inner: text.slice(start, end), adds, mark: text.slice(at, start) };
      }
      end += run - 1;
    }
  }
  return open(length, adds);
}

/** CommonMark's left-flanking and right-flanking runs. Within a word an underscore is a letter. */
function opens(character: string, before: string, next: string | undefined): boolean {
  if (next === undefined || /\s/.test(next)) return false;
  if (character === "_" && wordCharacter.test(before)) return false;
  return !isPunctuation(next) || before === "" || /\s/.test(before) || isPunctuation(before);
}

function closes(character: string, before: string, next: string | undefined): boolean {
  if (/\s/.test(before)) return false;
  if (character === "_" && next !== undefined && wordCharacter.test(next)) return false;
  return !isPunctuation(before) || next === undefined || /\s/.test(next) || isPunctuation(next);
}

/** An image is shown as a link. */
function linkAt(text: string, at: number, isWhole: boolean): Span {
  const none: Span = { kind: "text", end: at + 1 };
  const unless = (isOpen: boolean): Span => (isOpen && !isWhole ? "unknown" : none);
  label.lastIndex = at;
  const labelled = label.exec(text);
  const afterLabel = label.lastIndex;
  if (labelled === null) return unless(openLabel.test(text.slice(at)));
  if (text[afterLabel] !== "(") return unless(afterLabel === text.length);
  target.lastIndex = afterLabel;
  const targeted = target.exec(text);
  if (targeted === null) return unless(openTarget.test(text.slice(afterLabel)));
  const [inner = "", url = ""] = [labelled[1], targeted[1]];
  const note = url === "" || url === inner || url === `mailto:${inner}` ? {} : { note: url };
  return { kind: "marked", end: target.lastIndex, inner, adds: marks.link, mark: "", ...note };
}

function isPunctuation(character: string): boolean {
  return character < "\u0080" ? punctuation.test(character) : otherPunctuation.test(character);
}

function runLength(text: string, at: number, character: string): number {
  let end = at + 1;
  while (text[end] === character) end += 1;
  return end - at;
}

const special = /[\\`*_~[!]/g;
const label = /\[((?:[^[\]\\]|\\.)*)\]/y;
const target = /\(\s*<?((?:[^\s()<>]|\([^\s()]*\))*)>?(?:\s+"[^"]*")?\s*\)/y;
/** The beginnings of a label and of a target that may still go on. */
const openLabel = /^\[(?:[^[\]\\]|\\.)*\\?$/;
const openTarget = /^\(\s*<?(?:[^\s()<>]|\([^\s()]*\))*(?:\([^\s()]*|>?(?:\s+(?:"[^"]*"?)?)?\s*)$/;
const punctuation = /[!-/:-@[-`{-~]/;
const otherPunctuation = /[\p{P}\p{S}]/u;
const wordCharacter = /[\p{L}\p{N}_]/u;
/** The characters from a mark to its counterpart at most. */
const heldMax = 240;
