// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * SHA-1, for the one line of the WebSocket handshake that asks for it; nothing is kept secret by it. Here because loading
 * `node:crypto` costs a short command a fifth of its whole time, and this is all that it would be loaded for.
 */
export function sha1(message: Uint8Array): Buffer {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const words = new Int32Array(80);
  const blocks = padded(message);
  for (let start = 0; start < blocks.length; start += blockBytes) {
    expand(blocks, start, words);
    compress(state, words);
  }
  const digest = Buffer.allocUnsafe(20);
  for (let index = 0; index < 20; index++) digest[index] = state[index >> 2]! >>> (24 - (index & 3) * 8);
  return digest;
}

// Plain arithmetic and few calls: it runs once, before any compiler has seen it, and the methods of a Buffer for numbers
// would have to be compiled for it alone.

const blockBytes = 64;

/** A one bit, zeros, and the length in bits, up to the end of a block. */
function padded(message: Uint8Array): Uint8Array {
  const { length } = message;
  const blocks = new Uint8Array(Math.ceil((length + 9) / blockBytes) * blockBytes);
  blocks.set(message);
  blocks[length] = 0x80;
  // Five bytes hold the length of any Buffer.
  const end = blocks.length;
  blocks[end - 5] = length >>> 29;
  blocks[end - 4] = length >>> 21;
  blocks[end - 3] = length >>> 13;
  blocks[end - 2] = length >>> 5;
  blocks[end - 1] = length << 3;
  return blocks;
}

function expand(blocks: Uint8Array, start: number, words: Int32Array): void {
  for (let index = 0, at = start; index < 16; index++, at += 4) {
    words[index] = (blocks[at]! << 24) | (blocks[at + 1]! << 16) | (blocks[at + 2]! << 8) | blocks[at + 3]!;
  }
  for (let index = 16; index < 80; index++) {
    const word = words[index - 3]! ^ words[index - 8]! ^ words[index - 14]! ^ words[index - 16]!;
    words[index] = (word << 1) | (word >>> 31);
  }
}

function compress(state: Int32Array, words: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  for (let index = 0; index < 80; index++) {
    // The function of the round and its constant, together.
    const mixed =
      index < 20
        ? ((b & c) | (~b & d)) + 0x5a827999
        : index < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : index < 60
            ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + mixed + e + words[index]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}
