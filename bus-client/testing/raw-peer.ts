// SPDX-License-Identifier: MIT OR Apache-2.0

import { dial } from "../dial.ts";
import type { Transport } from "../transport.ts";
import { parse, serialise, type FrameHeaders } from "../wire.ts";
import { Inbox } from "./inbox.ts";

/** A connection that sends and receives the raw text of frames. */
export interface RawPeer {
  readonly transport: Transport;
  readonly frames: Inbox<string>;
  readonly closed: Promise<Error | undefined>;
  send(headers: FrameHeaders, body?: string): void;
  /** Sends a request and resolves with the answer to its id, skipping other frames. */
  ask(headers: FrameHeaders, body?: string): Promise<{ headers: FrameHeaders; body: string; text: string }>;
  register(name: string, body?: string): Promise<void>;
}

export async function rawPeer(where: string | Transport): Promise<RawPeer> {
  const transport = typeof where === "string" ? await dial(where) : where;
  const frames = new Inbox<string>();
  let tellClosed!: (cause: Error | undefined) => void;
  const closed = new Promise<Error | undefined>((resolve) => (tellClosed = resolve));
  transport.listen({ message: frames.push, close: tellClosed });
  let lastId = 0;
  const peer: RawPeer = {
    transport,
    frames,
    closed,
    send: (headers, body = "") => transport.send(serialise({ headers, body })),
    async ask(headers, body = "") {
      const id = `ask-${++lastId}`;
      peer.send({ ...headers, id, type: "request" }, body);
      const text = await frames.nextWhere(
        (frame) => parse(frame).headers["id"] === id,
        `the answer to ${headers["command"]}`,
      );
      return { ...parse(text), text };
    },
    async register(name, body = "") {
      const { headers } = await peer.ask({ command: "noded.register", from: name, to: "noded" }, body);
      if (headers["rc"] !== "0") throw new Error(`${name}: ${headers["error"]}`);
    },
  };
  return peer;
}
