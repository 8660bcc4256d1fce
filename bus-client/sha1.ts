// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * SHA-1, for the one line of the WebSocket handshake that asks for it; nothing is kept secret by it. Here because loading
 * `node:crypto` costs a short command a fifth of its whole time, and this is all that it would be loaded for.
 */
export function sha1(message: Buffer): Buffer {
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const words = new Uint32Array(80);
  const blocks = padded(message);
  for (let start = 0; start < blocks.length; start += blockBytes) {
    expand(blocks, start, words);
    compress(state, words);
  }
  const digest = Buffer.alloc(20);
  for (let index = 0; index < 5; index++) digest.writeUInt32BE(state[index]!, index * 4);
  return digest;
}

const blockBytes = 64;

/** A one bit, zeros, and the length in bits, up to the end of a block. */
function padded(message: Buffer): Buffer {
  const blocks = Buffer.alloc(Math.ceil((message.length + 9) / blockBytes) * blockBytes);
  message.copy(blocks);
  blocks[message.length] = 0x80;
  blocks.writeBigUInt64BE(BigInt(message.length) * 8n, blocks.length - 8);
  return blocks;
}

function expand(blocks: Buffer, start: number, words: Uint32Array): void {
  for (let index = 0; index < 16; index++) words[index] = blocks.readUInt32BE(start + index * 4);
  for (let index = 16; index < 80; index++) {
    words[index] = rotated(words[index - 3]! ^ words[index - 8]! ^ words[index - 14]! ^ words[index - 16]!, 1);
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
  for (let index = 0; index < 80; index++) {
    const next = (rotated(a, 5) + mixed(index, b, c, d) + e + words[index]!) >>> 0;
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = next;
  }
  for (const [index, word] of [a, b, c, d, e].entries()) state[index]! += word;
}

/** The function of the round and its constant, together. */
function mixed(index: number, b: number, c: number, d: number): number {
  if (index < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (index < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (index < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
