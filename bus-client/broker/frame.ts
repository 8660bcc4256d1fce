// SPDX-License-Identifier: MIT OR Apache-2.0
// Encodes WebSocket text frames of a server. One encoded frame can be written to many sockets, which `ws` cannot do.

/** Encodes a final, unmasked text frame, or its beginning if `moreBytes` of its text follow. */
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
