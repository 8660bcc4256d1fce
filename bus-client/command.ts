// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Connection } from "./connection.ts";
import { serialise, type Frame, type FrameHeaders } from "./wire.ts";

/** A command received from another connection. */
export interface IncomingCommand {
  readonly verb: string;
  /** Undefined if the sender expects no answer. */
  readonly id: string | undefined;
  readonly headers: FrameHeaders;
  readonly body: string;
  /** The generation of the connection that delivered it. */
  readonly generation: number;
  /**
   * Answers over the connection that delivered the command. `error` is a one-line text for people. Returns false if the
   * answer was dropped: there is no `id`, the connection is closed, or the command was answered before.
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
      if (error !== undefined) {
        // The only header that was not parsed from the command, and so the only one to check.
        serialise({ headers: { error } });
        reply["error"] = error;
      }
      answered = true;
      return connection.answer(reply, replyBody);
    },
  };
}
