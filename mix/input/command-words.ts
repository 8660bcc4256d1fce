// SPDX-License-Identifier: MIT OR Apache-2.0
import { usageError } from "../process/mix-error.ts";

/**
 * Splits a command line into words by a shell's rules for quotes and backslashes. Nothing is expanded, and `|`, `;`, `&`
 * and the like have no meaning: no shell runs the command.
 */
export function commandWords(line: string): string[] {
  const words: readonly string[] = line.match(/(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+|["'\\]/g) ?? [];
  const isCut = words.some((word) => word === '"' || word === "'");
  if (isCut) throw usageError("a quote is not closed");
  if (words.includes("\\")) throw usageError("the command ends with a backslash");
  return words.map((word) => word.replaceAll(/\\([^])|"((?:[^"\\]|\\[^])*)"|'([^']*)'/g, unquoted));
}

function unquoted(_all: string, escaped?: string, double?: string, single?: string): string {
  if (escaped !== undefined) return escaped === "\n" ? "" : escaped;
  // Within double quotes a backslash before any other character is an ordinary one.
  if (double !== undefined) return double.replaceAll(/\\(?:\n|([$`"\\]))/g, "$1");
  return single ?? "";
}
