// SPDX-License-Identifier: MIT OR Apache-2.0
// Attaches the JSON text of an entry's `content` to the entry. Serializing it again would cost more than all other work
// on the entry.

/** A symbol, which JSON.stringify ignores. */
const serializedContent: unique symbol = Symbol("serialized content");

interface SerializedContent {
  readonly content: unknown;
  /** The text that JSON.stringify would give; bytes are UTF-8. */
  readonly text: string | Uint8Array;
}

interface Carrier {
  readonly [serializedContent]?: SerializedContent;
}

/** Attaches the text of `content` to an entry, or to an object that becomes a part of one. */
export function setSerializedContent(entry: object, content: unknown, text: string | Uint8Array): void {
  (entry as { [serializedContent]?: SerializedContent })[serializedContent] = { content, text };
}

/** Returns the attached text, unless `content` was replaced since it was attached. */
export function serializedContentOf(entry: { readonly content?: unknown }): string | Uint8Array | undefined {
  const serialized = (entry as Carrier)[serializedContent];
  return serialized !== undefined && serialized.content === entry.content ? serialized.text : undefined;
}
