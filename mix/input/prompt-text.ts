// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";
import { readNamedFile, readStdin } from "./read-bytes.ts";

/** agentd's limit. It counts the bytes of the prompt as JSON, with escapes. */
const promptBytesMax = 6 * 1024 * 1024;

/**
 * Takes the prompt from the words (joined by spaces), from a file, or from stdin for `-`. Undefined if none is given.
 */
export async function readPrompt(
  context: Pick<Context, "stdin">,
  words: readonly string[],
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined && words.length > 0) throw usageError("give a prompt or --file, not both");
  if (file !== undefined) return fromFile(file);
  if (words.length === 0) return undefined;
  return notEmpty(words.length === 1 && words[0] === "-" ? await fromStdin(context.stdin) : words.join(" "));
}

async function fromFile(file: string): Promise<string> {
  return notEmpty(promptOf(await readNamedFile(file, file, "--file: "), file));
}

async function fromStdin(stdin: Context["stdin"]): Promise<string> {
  return promptOf(await readStdin(stdin, promptBytesMax), "stdin");
}

function promptOf(bytes: Buffer, from: string): string {
  const text = bytes.length > promptBytesMax ? undefined : bytes.toString("utf8");
  if (text === undefined || Buffer.byteLength(JSON.stringify(text)) > promptBytesMax) {
    throw usageError(`${from} is too long: a prompt may have at most ${promptBytesMax} bytes as JSON`);
  }
  if (!Buffer.from(text).equals(bytes)) throw usageError(`${from} is not UTF-8 text`);
  return text;
}

function notEmpty(text: string): string {
  if (text.trim() === "") throw usageError("the prompt is empty");
  return text;
}
