// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { corkPerTick } from "../cork-per-tick.ts";
import type { LocalTransport } from "../local-transport.ts";
import { exceedsBytes, frameBytesMax } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";

/** An outgoing message, perhaps to many receivers. Its WebSocket frame is encoded once, and only if a socket needs it. */
export class OutboundMessage {
  readonly #head: string;
  readonly #body: Buffer | undefined;
  #text: string | undefined;
  #frame: readonly Buffer[] | undefined;

  /** The text is `head`, followed by `body` if that is carried as bytes. */
  constructor(head: string, body?: Buffer) {
    this.#head = head;
    this.#body = body;
  }

  get text(): string {
    this.#text ??= this.#body === undefined ? this.#head : this.#head + this.#body.toString();
    return this.#text;
  }

  /** What goes to a socket, to be written one after the other within one tick. */
  get frame(): readonly Buffer[] {
    this.#frame ??=
      this.#body === undefined ? [encodeFrame(this.#head)] : [encodeFrame(this.#head, this.#body.length), this.#body];
    return this.#frame;
  }

  get frameBytes(): number {
    return this.frame.reduce((bytes, { length }) => bytes + length, 0);
  }

  /** True if the message exceeds the frame limit. Sending it would close the receiver's connection. */
  get isTooLarge(): boolean {
    return exceedsBytes(this.#head, frameBytesMax, this.#body?.length);
  }
}

/** The result of sending: sent or queued; dropped because the queue is full; dropped because the connection is closed. */
export type SendResult = "sent" | "full" | "closed";

/** The outbound side of one connection. A slow reader fills a bounded queue and blocks nobody else. */
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
 * Writes encoded frames directly to the socket of a WebSocket, so that one encoding serves every subscriber. `ws` reads
 * frames and closes the connection. While it is open `ws` writes only pongs, which are whole frames and so cannot interleave.
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

  /** Answers a ping, unless the peer does not read. RFC 6455 allows answering only the latest ping. */
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

/**
 * Encodes a final, unmasked WebSocket text frame, or its beginning if `moreBytes` of its text follow. `ws` cannot write
 * one encoded frame to many sockets.
 */
export function encodeFrame(text: string, moreBytes = 0): Buffer {
  const bytes = Buffer.byteLength(text);
  const header = headerOf(bytes + moreBytes);
  const frame = Buffer.allocUnsafe(header.length + bytes);
  frame.write(text, header.copy(frame), "utf8");
  return frame;
}

function headerOf(payloadBytes: number): Buffer {
  if (payloadBytes < 126) return Buffer.of(finalText, payloadBytes);
  if (payloadBytes < 65_536) return Buffer.of(finalText, 126, payloadBytes >>> 8, payloadBytes & 0xff);
  const header = Buffer.alloc(10);
  header[0] = finalText;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(payloadBytes), 2);
  return header;
}

const finalText = 0x81;
