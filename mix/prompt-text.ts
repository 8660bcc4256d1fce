// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a prompt comes from: the words of the command line, a file, or stdin.
import { readFile } from "node:fs/promises";
import type { Context } from "./context.ts";
import { fileFault } from "./file-fault.ts";
import { usageError } from "./mix-error.ts";
import { readStdin } from "./read-stdin.ts";

/** A prompt has to fit a frame of the Bus (8 MiB) with room for its escapes. */
const promptBytesMax = 4 * 1024 * 1024;

/** Several words are one prompt; `-` reads stdin; undefined where nothing was given. */
export async function promptText(
  context: Pick<Context, "stdin">,
  words: readonly string[],
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined && words.length > 0) throw usageError("a prompt and --file exclude each other");
  if (file !== undefined) return fromFile(file);
  if (words.length === 0) return undefined;
  return notEmpty(words.length === 1 && words[0] === "-" ? await fromStdin(context.stdin) : words.join(" "));
}

async function fromFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw fileFault(`--file: ${file}`, error);
  });
  return notEmpty(withinLimit(bytes).toString("utf8"));
}

async function fromStdin(stdin: Context["stdin"]): Promise<string> {
  return withinLimit(await readStdin(stdin, promptBytesMax)).toString("utf8");
}

function withinLimit(bytes: Buffer): Buffer {
  if (bytes.length > promptBytesMax) throw usageError(`a prompt may hold ${promptBytesMax} bytes`);
  return bytes;
}

function notEmpty(text: string): string {
  if (text.trim() === "") throw usageError("the prompt is empty");
  return text;
}
