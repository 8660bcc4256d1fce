// SPDX-License-Identifier: MIT OR Apache-2.0
// A part of an entry that is JSON text already: writing it again costs more than all else that is done with it.

/** On an entry, beside what is logged of it: JSON knows no symbols. */
const readyContent: unique symbol = Symbol("the text of content");

interface Ready {
  readonly content: unknown;
  /** What JSON.stringify would make of it; as UTF-8 where it is bytes. */
  readonly text: string | Uint8Array;
}

interface Carrier {
  readonly [readyContent]?: Ready;
}

/** Says so on an entry, or on what becomes a part of one, with this `content`. */
export function setSerializedContent(entry: object, content: unknown, text: string | Uint8Array): void {
  (entry as { [readyContent]?: Ready })[readyContent] = { content, text };
}

/** The text of the entry's `content`, where it is ready. A content that was changed after its text was taken is another value. */
export function serializedContentOf(entry: { readonly content?: unknown }): string | Uint8Array | undefined {
  const ready = (entry as Carrier)[readyContent];
  return ready !== undefined && ready.content === entry.content ? ready.text : undefined;
}
