// SPDX-License-Identifier: MIT OR Apache-2.0

import { joined, trimmedTail } from "../pieces.ts";
import type { Pieces } from "../pieces.ts";
import { parse } from "../wire.ts";
import type { ParsedFrame } from "../wire.ts";

export interface ReceivedFrame extends ParsedFrame {
  /**
   * What follows `body`, and is not looked at: of a publication that came in pieces, `body` is the whole header of the
   * frame within it, and this is that frame's body. Empty for all else.
   */
  readonly rest: Pieces;
}

/** Reads a message as `parse` does. Throws BusError MISSING_OPENING_FENCE. */
export function receivedFrame(text: string, pieces: Pieces): ReceivedFrame {
  const rest = trimmedTail(pieces);
  if (rest.length > 0) {
    const frame = parse(text);
    if (isPublicationHead(text, frame)) return { ...frame, body: `${frame.body}\n`, rest };
  }
  return { ...parse(joined([text, ...pieces])), rest: [] };
}

/** For who takes a body as it is. */
export function wholeBody({ body, rest }: ReceivedFrame): string {
  return joined([body, ...rest]);
}

/** Nothing that comes behind such a text can be a part of a header, of its own or of the frame within it. */
function isPublicationHead(text: string, { headers, body }: ParsedFrame): boolean {
  if (headers["command"] !== "topic.publish" || !text.endsWith("\n---\n") || !body.startsWith("---\n")) return false;
  return body.indexOf("\n---", "---\n".length) === body.length - "\n---".length;
}
