// SPDX-License-Identifier: MIT OR Apache-2.0

import { isUtf8 } from "node:buffer";
import { bytesOf } from "./pieces.ts";
import type { Pieces } from "./pieces.ts";
import { RandomBytes } from "./random-bytes.ts";

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What the other side did wrong, with the WebSocket close code that tells it so. */
export class WebSocketFault extends Error {
  override readonly name = "WebSocketFault";
  readonly closeCode: number;

  constructor(closeCode: number, message: string) {
    super(message);
    this.closeCode = closeCode;
  }
}

/** Text may come in pieces, so that nobody has to join them first. */
type Payload = string | Pieces | Buffer;

/** One whole frame, as a server writes it. The same bytes may go to many sockets. */
export function encodeFrame(opcode: number, payload: Payload): Buffer {
  return layOut(opcode, payload, 0).frame;
}

/** The bytes of `encodeFrame`, in pieces of their own: those that are bytes already are not copied. */
export function encodeFramePieces(opcode: number, payload: Pieces): Buffer[] {
  const pieces = payload.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  const bytes = bytesOf(pieces);
  const header = Buffer.alloc(headerBytesOf(bytes));
  writeHeader(header, opcode, bytes);
  return [header, ...pieces];
}

/** Writes frames as a client does: masked with fresh random bytes, which RFC 6455 asks of every client. */
export class MaskingEncoder {
  readonly #random: RandomBytes;

  constructor(random = new RandomBytes()) {
    this.#random = random;
  }

  /** One whole frame. */
  encode(opcode: number, payload: Payload): Buffer {
    const { frame, payloadStart } = layOut(opcode, payload, 4);
    frame[1]! |= 0x80;
    const mask = this.#random.take(4);
    frame.set(mask, payloadStart - 4);
    for (let index = payloadStart; index < frame.length; index++) {
      frame[index]! ^= mask[(index - payloadStart) & 3]!;
    }
    return frame;
  }
}

export interface FrameListener {
  text(message: string): void;
  binary(): void;
  ping(payload: Buffer): void;
  close(code: number | undefined): void;
}

/**
 * Reads what a server writes: unmasked frames, whole or in fragments, however the chunks are cut. Linear in the bytes
 * that come. `push` throws WebSocketFault for what breaks the protocol, for text that is not UTF-8 and for a message
 * of more than `messageBytesMax`; the reader is of no use afterwards.
 */
export class FrameReader {
  readonly #listener: FrameListener;
  readonly #messageBytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #header: FrameHeader | undefined;
  #fragments: { readonly opcode: number; readonly pieces: Buffer[]; bytes: number } | undefined;

  constructor(listener: FrameListener, messageBytesMax: number) {
    this.#listener = listener;
    this.#messageBytesMax = messageBytesMax;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      this.#header ??= this.#readHeader();
      if (this.#header === undefined || this.#bytes < this.#header.payloadBytes) return;
      const { payloadBytes } = this.#header;
      const header = this.#header;
      this.#header = undefined;
      this.#frame(header, this.#take(payloadBytes));
    }
  }

  #readHeader(): FrameHeader | undefined {
    if (this.#bytes < 2) return undefined;
    const short = this.#peek(2)[1]! & 0x7f;
    const headerBytes = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (this.#bytes < headerBytes) return undefined;
    const bytes = this.#take(headerBytes);
    const header = {
      final: (bytes[0]! & 0x80) !== 0,
      opcode: bytes[0]! & 0x0f,
      payloadBytes: short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? uint16At(bytes, 2) : short,
    };
    this.#check(header, bytes);
    return header;
  }

  #check({ final, opcode, payloadBytes }: FrameHeader, bytes: Buffer): void {
    if ((bytes[0]! & 0x70) !== 0) throw new WebSocketFault(1002, "reserved bits are set, and no extension was agreed");
    if ((bytes[1]! & 0x80) !== 0) throw new WebSocketFault(1002, "a server does not mask");
    if (opcode >= opcodes.close) {
      if (opcode > opcodes.pong) throw new WebSocketFault(1002, `unknown opcode ${opcode}`);
      if (!final || payloadBytes > 125) throw new WebSocketFault(1002, "a control frame is short and whole");
      return;
    }
    if (opcode > opcodes.binary) throw new WebSocketFault(1002, `unknown opcode ${opcode}`);
    if ((opcode === opcodes.continuation) !== (this.#fragments !== undefined)) {
      throw new WebSocketFault(1002, "a fragment without its beginning, or a beginning within a message");
    }
    if (payloadBytes + (this.#fragments?.bytes ?? 0) > this.#messageBytesMax) {
      throw new WebSocketFault(1009, `a message of more than ${this.#messageBytesMax} bytes`);
    }
  }

  #frame({ final, opcode }: FrameHeader, payload: Buffer): void {
    switch (opcode) {
      case opcodes.close:
        return this.#listener.close(payload.length >= 2 ? uint16At(payload, 0) : undefined);
      case opcodes.ping:
        return this.#listener.ping(payload);
      case opcodes.pong:
        return;
    }
    if (final && this.#fragments === undefined) return this.#message(opcode, payload);
    this.#fragments ??= { opcode, pieces: [], bytes: 0 };
    // Empty pieces are legal and endless: they are not kept.
    if (payload.length > 0) this.#fragments.pieces.push(payload);
    this.#fragments.bytes += payload.length;
    if (!final) return;
    const { opcode: first, pieces } = this.#fragments;
    this.#fragments = undefined;
    this.#message(first, Buffer.concat(pieces));
  }

  #message(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.binary) return this.#listener.binary();
    if (!isUtf8(payload)) throw new WebSocketFault(1007, "text that is not UTF-8");
    this.#listener.text(payload.toString("utf8"));
  }

  /** The first bytes, left in place. */
  #peek(count: number): Buffer {
    if (this.#chunks[0]!.length < count) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #take(count: number): Buffer {
    this.#bytes -= count;
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length === count) {
      this.#chunks.shift();
      return first;
    }
    if (first.length > count) {
      this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.length === count ? [] : [all.subarray(count)];
    return all.subarray(0, count);
  }
}

interface FrameHeader {
  readonly final: boolean;
  readonly opcode: number;
  readonly payloadBytes: number;
}

function layOut(opcode: number, payload: Payload, maskBytes: number): { frame: Buffer; payloadStart: number } {
  const pieces = typeof payload === "string" || Buffer.isBuffer(payload) ? [payload] : payload;
  const bytes = bytesOf(pieces);
  const payloadStart = headerBytesOf(bytes) + maskBytes;
  const frame = Buffer.allocUnsafe(payloadStart + bytes);
  writeHeader(frame, opcode, bytes);
  let at = payloadStart;
  for (const piece of pieces) at += typeof piece === "string" ? frame.write(piece, at, "utf8") : piece.copy(frame, at);
  return { frame, payloadStart };
}

/** Without the mask. */
function headerBytesOf(payloadBytes: number): number {
  if (payloadBytes < 126) return 2;
  return payloadBytes < 65_536 ? 4 : 10;
}

function writeHeader(frame: Buffer, opcode: number, payloadBytes: number): void {
  frame[0] = 0x80 | opcode;
  const header = headerBytesOf(payloadBytes);
  frame[1] = header === 2 ? payloadBytes : header === 4 ? 126 : 127;
  if (header === 4) frame.set([payloadBytes >>> 8, payloadBytes & 0xff], 2);
  if (header === 10) frame.writeBigUInt64BE(BigInt(payloadBytes), 2);
}

/** By hand: a Buffer's own method would have to be compiled for the few frames of a short command. */
function uint16At(bytes: Buffer, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}
