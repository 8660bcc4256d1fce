// SPDX-License-Identifier: MIT OR Apache-2.0
import { isAbsolute, resolve } from "node:path";
import type { Context } from "./context.ts";

/** The current directory is asked only for a relative path, as it may not exist any more. */
export function absolutePath(cwd: Context["cwd"], path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(cwd(), path);
}
