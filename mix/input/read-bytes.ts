// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "../process/context.ts";
import { fileFault } from "../file-fault.ts";
import { plainUtf8 } from "../plain-utf8.ts";

/** All of it, without a byte order mark; where that is more than `bytesMax`, no more than shows it. Throws a usage error where it cannot be read. */
export async function readStdin(stdin: Context["stdin"], bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      const piece = Buffer.from(chunk as Buffer | string);
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    throw fileFault("stdin", error);
  }
  return plainUtf8(Buffer.concat(pieces), "stdin");
}
