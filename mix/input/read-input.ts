// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads UTF-8 text as bytes, from stdin or from a file that was named on the command line.
import { promises } from "node:fs";
import { isMarkedUtf16, withoutByteOrderMark } from "../../files/byte-order-mark.ts";
import type { Context } from "../process/context.ts";
import { type MixError, usageError } from "../process/mix-error.ts";

/**
 * Reads the whole file, without a byte order mark. Throws a usage error if it cannot be read or is UTF-16. Errors call
 * the file `named`; `flag` comes before that name if the file cannot be read.
 */
export async function readNamedFile(path: string, named: string, flag = ""): Promise<Buffer> {
  const bytes = await promises.readFile(path).catch((error: unknown) => {
    throw readError(`${flag}${named}`, error);
  });
  return requireUtf8(bytes, named);
}

/**
 * Reads stdin to its end, without a byte order mark, and stops as soon as it has more than `bytesMax` bytes. Throws a
 * usage error if stdin cannot be read or is UTF-16.
 */
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
    throw readError("stdin", error);
  }
  return requireUtf8(Buffer.concat(pieces), "stdin");
}

/** Returns the bytes without a byte order mark. Throws a usage error for UTF-16. */
function requireUtf8(bytes: Buffer, from: string): Buffer {
  if (isMarkedUtf16(bytes)) throw usageError(`${from} is UTF-16, but must be UTF-8 (PowerShell: -Encoding utf8)`);
  return withoutByteOrderMark(bytes);
}

function readError(file: string, error: unknown): MixError {
  const { code, message } = error as NodeJS.ErrnoException;
  return usageError(`${file} ${reasons[code ?? ""] ?? `cannot be read: ${message}`}`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "cannot be read: permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "has something in its path that is not a directory",
};
