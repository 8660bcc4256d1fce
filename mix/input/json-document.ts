// SPDX-License-Identifier: MIT OR Apache-2.0
import { resolve } from "node:path";
import { parseJson } from "../../json/raw-json.ts";
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";
import { readNamedFile, readStdin } from "./read-bytes.ts";

const bytesMax = 4 * 1024 * 1024;

/** Reads JSON from a file, or from stdin for `-`. Throws a usage error if it cannot be read or is not JSON. */
export async function readJsonDocument({ cwd, stdin }: Pick<Context, "cwd" | "stdin">, file: string): Promise<unknown> {
  const written =
    file === "-" ? await fromStdin(stdin) : (await readNamedFile(resolve(cwd(), file), file)).toString("utf8");
  try {
    return parseJson(written);
  } catch {
    throw usageError(`${file === "-" ? "stdin" : file} is not JSON`);
  }
}

async function fromStdin(stdin: Context["stdin"]): Promise<string> {
  const bytes = await readStdin(stdin, bytesMax);
  if (bytes.length > bytesMax) throw usageError(`stdin holds more than ${bytesMax} bytes`);
  return bytes.toString("utf8");
}
