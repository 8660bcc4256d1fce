// SPDX-License-Identifier: MIT OR Apache-2.0
// JSON from a file, or from stdin.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseJson } from "../../json/raw-json.ts";
import type { Context } from "../process/context.ts";
import { fileFault } from "../file-fault.ts";
import { usageError } from "../process/mix-error.ts";
import { plainUtf8 } from "../plain-utf8.ts";
import { readStdin } from "./read-bytes.ts";

const bytesMax = 4 * 1024 * 1024;

/** `-` is stdin. Throws a usage error for what cannot be read or is no JSON. */
export async function jsonDocument({ cwd, stdin }: Pick<Context, "cwd" | "stdin">, file: string): Promise<unknown> {
  const written = file === "-" ? await fromStdin(stdin) : await fromFile(resolve(cwd(), file), file);
  try {
    return parseJson(written);
  } catch {
    throw usageError(`${file === "-" ? "stdin" : file} is not JSON`);
  }
}

async function fromFile(path: string, written: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileFault(written, error);
  });
  return plainUtf8(bytes, written).toString("utf8");
}

async function fromStdin(stdin: Context["stdin"]): Promise<string> {
  const bytes = await readStdin(stdin, bytesMax);
  if (bytes.length > bytesMax) throw usageError(`stdin holds more than ${bytesMax} bytes`);
  return bytes.toString("utf8");
}
