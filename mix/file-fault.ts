// SPDX-License-Identifier: MIT OR Apache-2.0
// Why a file that was named on the command line cannot be read, for people.
import { type MixError, usageError } from "./process/mix-error.ts";

export function fileFault(file: string, error: unknown): MixError {
  const { code, message } = error as NodeJS.ErrnoException;
  return usageError(`${file} ${reasons[code ?? ""] ?? `cannot be read: ${message}`}`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by you",
  EISDIR: "is a directory",
  ENOTDIR: "leads through something that is not a directory",
};
