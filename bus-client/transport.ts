// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Pieces } from "./pieces.ts";

/** Receives a transport's messages. Its methods are called from the event loop, never within `listen` or `send`. */
export interface TransportListener {
  message(text: string): void;
  /** For a message that was sent in pieces within this process; without it they are joined, and come as a `message`. */
  pieces?(text: string, rest: Pieces): void;
  /** Once, after the last message. Without a cause the other side, or we, closed in good order. */
  close(cause?: Error): void;
}

/** One way to one broker and back: whole text messages, in order. It neither dials again nor understands what it carries. */
export interface Transport {
  readonly kind: "unix" | "tcp" | "local";
  /**
   * One message: its text, and the rest of it where a long one comes in pieces. Never throws; what is sent after the end
   * is dropped. The caller watches `bufferedBytes` and the size of a message.
   */
  send(text: string, rest?: Pieces): void;
  /** What was sent and waits in this process, in bytes. */
  readonly bufferedBytes: number;
  /** Holds writes back until `uncork`, so that many messages make one system call. Sends of one tick are joined anyway. */
  cork(): void;
  uncork(): void;
  /** Starts delivery, once; what came before is held until then. */
  listen(listener: TransportListener): void;
  /** In good order: what was sent goes out first. Ends by force after `closeTimeoutMs`. */
  close(): void;
  /** At once; what was not sent is lost. */
  destroy(): void;
}

/** How long the other side may take to answer the closing of a WebSocket. */
export const closeTimeoutMs = 1_000;
