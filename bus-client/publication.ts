// SPDX-License-Identifier: MIT OR Apache-2.0

import { serialise } from "./wire.ts";

export interface PublishOptions {
  /** Keep the message for those who subscribe later. Default false. */
  readonly retain?: boolean;
  /** The command that subscribers see. Default: the topic's name. */
  readonly command?: string;
}

/** Its text is `before`, the request's `id`, `after` and `body`, if that is carried as bytes. */
export interface Publication {
  readonly before: string;
  readonly after: string;
  readonly body: Buffer | undefined;
}

/**
 * Writes publications for one sender. A publication is a frame within a frame. Only its `id` and body differ between two
 * messages of a topic, so the text of the last topic is cached.
 */
export function publicationWriter(
  from: string | undefined,
): (topic: string, body: string | Buffer, options?: PublishOptions) => Publication {
  let last: { topic: string; command: string; retain: boolean; before: string; between: string } | undefined;
  return (topic, body, options) => {
    const command = options?.command ?? topic;
    const retain = options?.retain === true;
    if (last?.topic !== topic || last.command !== command || last.retain !== retain) {
      last = { topic, command, retain, ...buildTemplate(from, topic, command, retain) };
    }
    const { before, between } = last;
    if (typeof body !== "string" && isAsWritten(body)) return { before, after: between, body };
    const text = body.toString();
    const end = text === "" || text.endsWith("\n") ? "" : "\n";
    return { before, after: between + text + end, body: undefined };
  };
}

/** Whether the bytes end as a body does on the wire: with one line feed, which a reader trims, and no other white space. */
function isAsWritten(body: Buffer): boolean {
  const last = body.at(-2) ?? 0;
  return body.at(-1) === 0x0a && last > 0x20 && last < 0x7f;
}

/** Builds the two halves with `serialise`, which is the only check of the topic and the command. */
function buildTemplate(
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
  // Keys are sorted, so only `command` and `from` come before `id`.
  const at = whole.indexOf("\nid: 0\n") + "\nid: ".length;
  return { before: whole.slice(0, at), between: whole.slice(at + 1) };
}
