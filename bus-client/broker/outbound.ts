// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { corkPerTick } from "../cork-per-tick.ts";
import type { LocalTransport } from "../local-transport.ts";
import { bytesAtMost, bytesOf, joined } from "../pieces.ts";
import type { Pieces } from "../pieces.ts";
import { frameBytesMax } from "../wire.ts";
import { encodeFrame, encodeFramePieces } from "./frame.ts";
import type { BrokerLimits } from "./limits.ts";

/** A message on its way out, perhaps to many: it is laid out as a WebSocket frame once, and only if a socket wants it. */
export class OutboundMessage {
  readonly #pieces: Pieces;
  #text: string | undefined;
  #frame: readonly Buffer[] | undefined;

  /** The text, or what it is joined of: a socket is given the pieces, and the text is made only for who wants it. */
  constructor(...pieces: Pieces) {
    this.#pieces = pieces;
  }

  get text(): string {
    this.#text ??= joined(this.#pieces);
    return this.#text;
  }

  /** What goes to a socket, to be written one after the other within one tick. Small texts are one Buffer. */
  get frame(): readonly Buffer[] {
    this.#frame ??= this.#pieces.every((piece) => typeof piece === "string")
      ? [encodeFrame(this.#pieces)]
      : encodeFramePieces(this.#pieces);
    return this.#frame;
  }

  get frameBytes(): number {
    return bytesOf(this.frame);
  }

  /** No reader takes it: it would close the receiver's connection. */
  get isTooLarge(): boolean {
    return bytesAtMost(this.#pieces) > frameBytesMax && bytesOf(this.#pieces) > frameBytesMax;
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
    const bytes = message.frameBytes;
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
      this.#queuedBytes -= message.frameBytes;
      this.#write(message);
    }
    this.#queue.splice(0, sent);
  }

  #write(message: OutboundMessage): void {
    this.#corkThisTick();
    for (const bytes of message.frame) this.#socket.write(bytes);
  }
}
