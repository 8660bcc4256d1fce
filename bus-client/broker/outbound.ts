// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { corkPerTick } from "../cork-per-tick.ts";
import type { LocalTransport } from "../local-transport.ts";
import { encodeFrame, opcodes } from "../websocket-frames.ts";
import { frameBytesMax } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";

/** A message on its way out, perhaps to many: it is laid out as a WebSocket frame once, and only if a socket wants it. */
export class OutboundMessage {
  readonly text: string;
  readonly #pieces: readonly string[];
  #frame: Buffer | undefined;

  /** The text, or what it is joined of: a socket is given the pieces, and the text is never made. */
  constructor(...pieces: string[]) {
    this.#pieces = pieces;
    this.text = pieces.reduce((text, piece) => text + piece);
  }

  get frame(): Buffer {
    this.#frame ??= encodeFrame(opcodes.text, this.#pieces);
    return this.#frame;
  }

  /** No reader takes it: it would close the receiver's connection. */
  get isTooLarge(): boolean {
    return this.text.length * 3 > frameBytesMax && Buffer.byteLength(this.text) > frameBytesMax;
  }
}

/** What became of a message: on its way, dropped because too much waits, or without a connection to go to. */
export type SendResult = "sent" | "full" | "closed";

/** The way out to one connection. A reader that does not read costs a bounded queue, never more. */
export interface Lane {
  readonly kind: "unix" | "tcp" | "local";
  readonly isOpen: boolean;
  send(message: OutboundMessage): SendResult;
  close(): void;
  destroy(): void;
}

export class LocalLane implements Lane {
  readonly kind = "local";
  readonly #transport: LocalTransport;
  readonly #limits: BrokerLimits;

  constructor(transport: LocalTransport, limits: BrokerLimits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return this.#transport.isOpen;
  }

  send(message: OutboundMessage): SendResult {
    const { queuedMessagesMax, queuedBytesMax } = this.#limits;
    if (!this.isOpen) return "closed";
    if (this.#transport.queuedMessages >= queuedMessagesMax || message.isTooLarge) return "full";
    if (this.#transport.bufferedBytes + message.text.length > queuedBytesMax) return "full";
    this.#transport.send(message.text);
    return "sent";
  }

  close(): void {
    this.#transport.close();
  }

  destroy(): void {
    this.#transport.destroy();
  }
}

/**
 * Over a WebSocket whose frames we write ourselves, so that one layout serves every subscriber. `ws` reads, and keeps
 * the protocol's closing; it writes nothing else while the connection is open but answers to pings, which are whole frames.
 */
export class SocketLane implements Lane {
  readonly kind: "unix" | "tcp";
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #limits: BrokerLimits;
  readonly #corkThisTick: () => void;
  #queue: OutboundMessage[] = [];
  #queuedBytes = 0;

  constructor(kind: "unix" | "tcp", webSocket: WebSocket, socket: Socket, limits: BrokerLimits) {
    this.kind = kind;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#limits = limits;
    this.#corkThisTick = corkPerTick(socket);
    socket.on("drain", () => this.#flush());
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }

  send(message: OutboundMessage): SendResult {
    if (!this.isOpen) return "closed";
    if (message.isTooLarge) return "full";
    if (this.#queue.length === 0 && this.#socket.writableLength < this.#limits.socketBytesMax) {
      this.#write(message);
      return "sent";
    }
    const bytes = message.frame.length;
    if (this.#queue.length >= this.#limits.queuedMessagesMax) return "full";
    if (this.#queuedBytes + bytes > this.#limits.queuedBytesMax) return "full";
    this.#queue.push(message);
    this.#queuedBytes += bytes;
    return "sent";
  }

  /** A ping is answered unless the peer does not read: then it is ignored, which is allowed. */
  answerPing(payload: Buffer): void {
    if (this.#socket.writableLength < this.#limits.socketBytesMax) this.#webSocket.pong(payload);
  }

  close(): void {
    this.#queue = [];
    this.#webSocket.close(1001);
  }

  destroy(): void {
    this.#queue = [];
    this.#webSocket.terminate();
  }

  #flush(): void {
    if (!this.isOpen) return;
    let sent = 0;
    while (sent < this.#queue.length && this.#socket.writableLength < this.#limits.socketBytesMax) {
      const message = this.#queue[sent++]!;
      this.#queuedBytes -= message.frame.length;
      this.#write(message);
    }
    this.#queue.splice(0, sent);
  }

  #write(message: OutboundMessage): void {
    this.#corkThisTick();
    this.#socket.write(message.frame);
  }
}
