// SPDX-License-Identifier: MIT OR Apache-2.0

import { joined, trimmedTail } from "../pieces.ts";
import type { Pieces } from "../pieces.ts";
import { parse } from "../wire.ts";
import type { ParsedFrame } from "../wire.ts";

export interface ReceivedFrame extends ParsedFrame {
  /**
   * The unread rest of a publication that came in pieces: `body` is then the header of the inner frame, and this is the
   * inner frame's body. Empty for every other message.
   */
  readonly rest: Pieces;
}

/** Parses a message like `parse`. Throws BusError MISSING_OPENING_FENCE. */
export function receivedFrame(text: string, pieces: Pieces): ReceivedFrame {
  const rest = trimmedTail(pieces);
  if (rest.length > 0) {
    const frame = parse(text);
    if (isPublicationHead(text, frame)) return { ...frame, body: `${frame.body}\n`, rest };
  }
  return { ...parse(joined([text, ...pieces])), rest: [] };
}

/** Joins the body and the rest. */
export function wholeBody({ body, rest }: ReceivedFrame): string {
  return joined([body, ...rest]);
}

/** True if the text contains the headers of the publication and of its inner frame, so that only the body can follow. */
function isPublicationHead(text: string, { headers, body }: ParsedFrame): boolean {
  if (headers["command"] !== "topic.publish" || !text.endsWith("\n---\n") || !body.startsWith("---\n")) return false;
  return body.indexOf("\n---", "---\n".length) === body.length - "\n---".length;
}
