// SPDX-License-Identifier: MIT OR Apache-2.0
// The bytes of a file that was named on the command line, or of stdin, for text in UTF-8.
import { readFile } from "node:fs/promises";
import { isMarkedUtf16, withoutByteOrderMark } from "../../files/byte-order-mark.ts";
import type { Context } from "../process/context.ts";
import { type MixError, usageError } from "../process/mix-error.ts";

/**
 * The whole file, without a byte order mark. Throws a usage error where it cannot be read, and for UTF-16. `named`: how
 * the error calls the file; `flag`: what stands before that where the file cannot be read.
 */
export async function readNamedFile(path: string, named: string, flag = ""): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw readError(`${flag}${named}`, error);
  });
  return requireUtf8(bytes, named);
}

/**
 * All of it, without a byte order mark; where that is more than `bytesMax`, no more than shows it. Throws a usage error
 * where it cannot be read.
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

/** The bytes without a byte order mark. Throws a usage error for UTF-16. */
function requireUtf8(bytes: Buffer, from: string): Buffer {
  if (isMarkedUtf16(bytes)) throw usageError(`${from} is UTF-16, and UTF-8 is needed (PowerShell: -Encoding utf8)`);
  return withoutByteOrderMark(bytes);
}

/** Why it cannot be read, for people. */
function readError(file: string, error: unknown): MixError {
  const { code, message } = error as NodeJS.ErrnoException;
  return usageError(`${file} ${reasons[code ?? ""] ?? `cannot be read: ${message}`}`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by you",
  EISDIR: "is a directory",
  ENOTDIR: "leads through something that is not a directory",
};
