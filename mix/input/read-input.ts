// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads prompts, JSON and other UTF-8 text from stdin or from a file that was named on the command line.
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { isMarkedUtf16, withoutByteOrderMark } from "../../files/byte-order-mark.ts";
import { parseJson } from "../../json/raw-json.ts";
import { absolutePath } from "../process/absolute-path.ts";
import type { Context } from "../process/context.ts";
import { type MixError, usageError } from "../process/mix-error.ts";

/** agentd's limit. It counts the bytes of the prompt as JSON, with escapes. */
export const promptBytesMax = 6 * 1024 * 1024;

/** Takes the prompt from the words (joined by spaces), from a file, or from stdin for `-`. Undefined if none is given. */
export async function readPrompt(
  context: Pick<Context, "stdin">,
  words: readonly string[],
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined && words.length > 0) throw usageError("give a prompt or --file, not both");
  if (file !== undefined) return promptOf(await readNamedFile(file, file, promptBytesMax, "--file: "), file);
  if (words.length === 0) return undefined;
  if (words.length > 1 || words[0] !== "-") return notEmpty(words.join(" "));
  return promptOf(await readStdin(context.stdin, promptBytesMax), "stdin");
}

function promptOf(bytes: Buffer, from: string): string {
  const text = bytes.length > promptBytesMax ? undefined : bytes.toString("utf8");
  if (text === undefined || Buffer.byteLength(JSON.stringify(text)) > promptBytesMax) {
    throw usageError(`${from} is too long: a prompt may have at most ${promptBytesMax} bytes as JSON`);
  }
  if (!Buffer.from(text).equals(bytes)) throw usageError(`${from} is not UTF-8 text`);
  return notEmpty(text);
}

function notEmpty(text: string): string {
  if (text.trim() === "") throw usageError("the prompt is empty");
  return text;
}

const jsonBytesMax = 4 * 1024 * 1024;

/** Reads JSON from a file, or from stdin for `-`. Throws a usage error if it cannot be read or is not JSON. */
export async function readJsonDocument({ cwd, stdin }: Pick<Context, "cwd" | "stdin">, file: string): Promise<unknown> {
  const isStdin = file === "-";
  const bytes = await (isStdin
    ? readStdin(stdin, jsonBytesMax)
    : readNamedFile(absolutePath(cwd, file), file, jsonBytesMax));
  if (bytes.length > jsonBytesMax)
    throw usageError(`${isStdin ? "stdin" : file} holds more than ${jsonBytesMax} bytes`);
  try {
    return parseJson(bytes.toString("utf8"));
  } catch {
    throw usageError(`${isStdin ? "stdin" : file} is not JSON`);
  }
}

/**
 * Reads the file as `readStdin` reads stdin: it may be a pipe, or a device that never ends. Errors call the file `named`;
 * `flag` comes before that name if the file cannot be read.
 */
async function readNamedFile(path: string, named: string, bytesMax: number, flag = ""): Promise<Buffer> {
  return requireUtf8(await readBytes(createReadStream(path), bytesMax, `${flag}${named}`), named);
}

/**
 * Reads stdin to its end, without a byte order mark, and stops as soon as it has more than `bytesMax` bytes. Throws a
 * usage error if stdin cannot be read or is UTF-16.
 */
export async function readStdin(stdin: Context["stdin"], bytesMax: number): Promise<Buffer> {
  return requireUtf8(await readBytes(stdin, bytesMax, "stdin"), "stdin");
}

async function readBytes(input: Readable, bytesMax: number, from: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of input) {
      const piece = Buffer.from(chunk as Buffer | string);
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    throw readError(from, error);
  }
  return Buffer.concat(pieces);
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
