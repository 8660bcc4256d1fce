// SPDX-License-Identifier: MIT OR Apache-2.0

import { withEnd } from "./pieces.ts";
import type { Pieces } from "./pieces.ts";
import { serialise } from "./wire.ts";

export interface PublishOptions {
  /** Keep the message for those who subscribe later. Default false. */
  readonly retain?: boolean;
  /** The command that subscribers see. Default: the topic's name. */
  readonly command?: string;
}

/** Its text is the three parts and the request's `id` between the first two; `rest` is empty unless the body came in pieces. */
export interface Publication {
  readonly before: string;
  readonly after: string;
  readonly rest: Pieces;
}

/**
 * Writes publications for one sender. A publication is a frame within a frame; all of it but the `id` and the body
 * repeats from one to the next of a topic, so the last topic's text is kept ready.
 */
export function publicationWriter(
  from: string | undefined,
): (topic: string, body: string | Pieces, options?: PublishOptions) => Publication {
  let last: { topic: string; command: string; retain: boolean; before: string; between: string } | undefined;
  return (topic, body, options) => {
    const command = options?.command ?? topic;
    const retain = options?.retain === true;
    if (last?.topic !== topic || last.command !== command || last.retain !== retain) {
      last = { topic, command, retain, ...template(from, topic, command, retain) };
    }
    const { before, between } = last;
    if (typeof body !== "string") return { before, after: between, rest: withEnd(body) };
    const end = body === "" || body.endsWith("\n") ? "" : "\n";
    return { before, after: between + body + end, rest: [] };
  };
}

/** The only place where the two halves are checked, by writing them once in the ordinary way. */
function template(
  from: string | undefined,
  topic: string,
  command: string,
  retain: boolean,
): { before: string; between: string } {
  const headers = {
    command: "topic.publish",
    id: "0",
    name: topic,
    retain: String(retain),
    to: "noded",
    type: "request",
    ...(from === undefined ? {} : { from }),
  };
  const whole = serialise({ headers, body: serialise({ headers: { command } }) });
  // Keys stand in order, so `command` and `from` come before `id`, and only those.
  const at = whole.indexOf("\nid: 0\n") + "\nid: ".length;
  return { before: whole.slice(0, at), between: whole.slice(at + 1) };
}
