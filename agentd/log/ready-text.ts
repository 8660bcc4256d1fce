// SPDX-License-Identifier: MIT OR Apache-2.0
// A part of an entry that is JSON text already: writing it again costs more than all else that is done with it.

/** On an entry, beside what is logged of it: JSON knows no symbols. */
const readyContent: unique symbol = Symbol("the text of content");

interface Ready {
  readonly content: unknown;
  /** What JSON.stringify would make of it. */
  readonly text: string;
}

/** The member that says so of an entry with this `content`. */
export function readyText(content: unknown, text: string): object {
  return { [readyContent]: { content, text } satisfies Ready };
}

/** The JSON of an entry's members, in parts: as JSON.stringify writes it, but that a `content` whose text is ready comes last. */
export function membersText(entry: object): readonly string[] {
  const { [readyContent]: ready, content, ...rest } = entry as { [readyContent]?: Ready; content?: unknown };
  // A content that was changed after its text was taken is another value.
  if (ready === undefined || ready.content !== content) return [JSON.stringify(entry)];
  const members = JSON.stringify(rest);
  return [`${members.slice(0, -1)}${members === "{}" ? "" : ","}"content":`, ready.text, "}"];
}
