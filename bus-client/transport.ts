// SPDX-License-Identifier: MIT OR Apache-2.0

/** Receives a transport's messages. Its methods are called from the event loop, never within `listen` or `send`. */
export interface TransportListener {
  message(text: string, body?: Buffer): void;
  /** Called once, after the last message. `cause` is undefined if either side closed normally. */
  close(cause?: Error): void;
}

/** One connection to a broker that carries whole text messages in order. It neither reconnects nor parses messages. */
export interface Transport {
  readonly kind: "unix" | "tcp" | "local";
  /**
   * Sends one message: its text and, of a publication in bytes, the body that follows, which within a process arrives as
   * the same Buffer. Never throws, and drops messages after the close. The caller must check `bufferedBytes` and the
   * message's size.
   */
  send(text: string, body?: Buffer): void;
  /** The bytes that were sent and still wait in this process. */
  readonly bufferedBytes: number;
  /** Holds writes back until `uncork`, so that many messages make one system call. Sends of one tick are joined anyway. */
  cork(): void;
  uncork(): void;
  /** Starts delivery; may be called once. Messages that arrived before are held until then. */
  listen(listener: TransportListener): void;
  /** Flushes and closes. Destroys the connection after `closeTimeoutMs`. */
  close(): void;
  /** Closes at once and discards unsent messages. */
  destroy(): void;
}

/** How long the other side may take for the closing handshake of a WebSocket. */
export const closeTimeoutMs = 1_000;
