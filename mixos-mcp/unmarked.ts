// SPDX-License-Identifier: MIT OR Apache-2.0
import { Readable } from "node:stream";
import { withoutByteOrderMark } from "../files/byte-order-mark.ts";

/** The stream without a byte order mark at its beginning, which the SDK would take for a part of the first message. */
export function unmarked(stream: AsyncIterable<Buffer>): Readable {
  return Readable.from(unmarkedChunks(stream), { objectMode: false });
}

async function* unmarkedChunks(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const markBytes = 3;
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < markBytes) continue;
    yield withoutByteOrderMark(head);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}
