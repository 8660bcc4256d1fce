// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Connection } from "./connection.ts";
import { serialise } from "./wire.ts";
import type { Frame, FrameHeaders } from "./wire.ts";

/** A command that somebody sent us. */
export interface IncomingCommand {
  readonly verb: string;
  /** Absent: nobody waits for an answer. */
  readonly id: string | undefined;
  readonly headers: FrameHeaders;
  readonly body: string;
  /** Of the connection that brought it. */
  readonly generation: number;
  /**
   * Answers, over the connection that brought the command and no other. `error` is a one-line text for people.
   * False when it was dropped: there is no `id`, the connection is gone, or it was answered before.
   * Throws BusError UNSERIALISABLE for an `error` that cannot be a header, such as one with line breaks.
   */
  reply(rc: number, body: string, error?: string): boolean;
}

export function incomingCommand(
  { headers, body }: Frame,
  connection: Connection,
  generation: number,
  name: string | undefined,
): IncomingCommand {
  const { id, from, command: verb = "" } = headers;
  let answered = false;
  return {
    verb,
    id,
    headers,
    body,
    generation,
    reply(rc, replyBody, error) {
      if (id === undefined || answered) return false;
      const reply: FrameHeaders = { command: verb, id, rc: String(rc), type: "response" };
      if (name !== undefined) reply["from"] = name;
      if (from !== undefined) reply["to"] = from;
      if (error !== undefined) reply["error"] = writable(error);
      answered = true;
      return connection.answer(reply, replyBody);
    },
  };
}

/** The only header of an answer that is our own words. */
function writable(error: string): string {
  serialise({ headers: { error } });
  return error;
}
