// SPDX-License-Identifier: MIT OR Apache-2.0
// What a key does to the text of the prompt line. Pure. The keys are those of bash and readline.
import type { Key } from "node:readline";
import {
  type Draft,
  insert,
  isVisible,
  lineEnd,
  lineStart,
  moveTo,
  nextCharacter,
  nextWord,
  previousCharacter,
  previousWord,
  removeTo,
} from "./draft.ts";

export type KeyMeaning =
  | { readonly kind: "edit"; readonly draft: Draft; /** Text for Ctrl-Y to insert. */ readonly cut?: string }
  /** `up` and `down` move in the text if they can, `older` and `newer` always leave it. */
  | { readonly kind: "up" | "down" | "older" | "newer" }
  | { readonly kind: "enter" | "new-line" | "complete" | "paste-cut" | "interrupt" | "end" | "suspend" | "redraw" }
  | { readonly kind: "nothing" };

export function keyMeaning(draft: Draft, { name = "", ctrl, meta, sequence = "" }: Key, typed?: string): KeyMeaning {
  if (name === "return" || name === "enter") return { kind: meta === true ? "new-line" : "enter" };
  // Shift+Enter, from terminals that report it.
  if (sequence === "\u001b[13;2u") return { kind: "new-line" };
  if (name === "tab" && meta !== true) return { kind: "complete" };
  const meaning =
    meta === true ? metaKey(draft, name) : ctrl === true ? controlKey(draft, name) : plainKey(draft, name);
  if (meaning !== undefined) return meaning;
  const isText = typed !== undefined && ctrl !== true && meta !== true && !controls.test(typed);
  return isText ? { kind: "edit", draft: insert(draft, typed) } : { kind: "nothing" };
}

function plainKey(draft: Draft, name: string): KeyMeaning | undefined {
  switch (name) {
    case "left":
      return edit(moveTo(draft, previousCharacter(draft)));
    case "right":
      return edit(moveTo(draft, nextCharacter(draft)));
    case "home":
      return edit(moveTo(draft, lineStart(draft)));
    case "end":
      return edit(moveTo(draft, lineEnd(draft)));
    case "backspace":
      return edit(removeTo(draft, previousCharacter(draft)));
    case "delete":
      return edit(removeTo(draft, nextCharacter(draft)));
    case "up":
    case "down":
      return { kind: name };
    default:
      return undefined;
  }
}

function controlKey(draft: Draft, name: string): KeyMeaning | undefined {
  switch (name) {
    case "a":
      return edit(moveTo(draft, lineStart(draft)));
    case "e":
      return edit(moveTo(draft, lineEnd(draft)));
    case "b":
      return plainKey(draft, "left");
    case "f":
      return plainKey(draft, "right");
    case "h":
      return plainKey(draft, "backspace");
    case "d":
      return draft.text === "" ? { kind: "end" } : plainKey(draft, "delete");
    case "u":
      return cut(draft, lineStart(draft));
    case "k":
      return cut(draft, lineEnd(draft));
    case "w":
      return cut(draft, previousWord(draft, isVisible));
    case "y":
      return { kind: "paste-cut" };
    case "left":
      return edit(moveTo(draft, previousWord(draft)));
    case "right":
      return edit(moveTo(draft, nextWord(draft)));
    case "home":
      return edit(moveTo(draft, 0));
    case "end":
      return edit(moveTo(draft, draft.text.length));
    case "delete":
      return cut(draft, nextWord(draft));
    case "p":
      return { kind: "older" };
    case "n":
      return { kind: "newer" };
    case "c":
      return { kind: "interrupt" };
    case "z":
      return { kind: "suspend" };
    case "l":
      return { kind: "redraw" };
    default:
      return undefined;
  }
}

function metaKey(draft: Draft, name: string): KeyMeaning | undefined {
  switch (name) {
    case "b":
    case "left":
      return edit(moveTo(draft, previousWord(draft)));
    case "f":
    case "right":
      return edit(moveTo(draft, nextWord(draft)));
    case "d":
      return cut(draft, nextWord(draft));
    case "backspace":
      return cut(draft, previousWord(draft));
    case "up":
      return { kind: "older" };
    case "down":
      return { kind: "newer" };
    default:
      return undefined;
  }
}

function edit(draft: Draft): KeyMeaning {
  return { kind: "edit", draft };
}

/** Removes up to a position, or the line feed at the cursor if that is where the position is. */
function cut(draft: Draft, to: number): KeyMeaning {
  const { text, cursor } = draft;
  return { kind: "edit", draft: removeTo(draft, to), cut: text.slice(Math.min(cursor, to), Math.max(cursor, to)) };
}

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]/;
