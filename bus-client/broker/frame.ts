// SPDX-License-Identifier: MIT OR Apache-2.0
// Encodes WebSocket text frames of a server. One encoded frame can be written to many sockets, which `ws` cannot do.

import { bytesOf } from "../pieces.ts";
import type { Pieces } from "../pieces.ts";

/** Encodes a frame into a single Buffer. */
export function encodeFrame(text: Pieces): Buffer {
  const bytes = bytesOf(text);
  const header = headerOf(bytes);
  const frame = Buffer.allocUnsafe(header.length + bytes);
  let at = header.copy(frame);
  for (const piece of text) at += typeof piece === "string" ? frame.write(piece, at, "utf8") : piece.copy(frame, at);
  return frame;
}

/** Encodes the same bytes as `encodeFrame`, but as several Buffers, without copying pieces that are Buffers already. */
export function encodeFramePieces(text: Pieces): Buffer[] {
  const pieces = text.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  return [headerOf(bytesOf(pieces)), ...pieces];
}

/** Encodes the header of a final, unmasked text frame. */
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
