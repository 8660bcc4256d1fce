// SPDX-License-Identifier: MIT OR Apache-2.0
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { attempt } from "./attempt.ts";
import { readHead } from "./read-up-to.ts";

/** Finds the first executable file of that name. */
export function findOnPath(program: string, searchPath: string | undefined): string | undefined {
  return searchDirectories(searchPath)
    .map((directory) => join(directory, program))
    .find(isProgram);
}

/** Leaves out empty and relative parts, which depend on the working directory. */
export function searchDirectories(searchPath: string | undefined): readonly string[] {
  return (searchPath ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
}

export function isProgram(file: string): boolean {
  return isExecutable(file) && attempt(() => statSync(file))?.isFile() === true;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the words after `#!` in a script's first line, of which it reads as much as the kernel. Empty for any other
 * file, and for a program that may be executed but not read.
 */
export function interpreterWords(file: string): readonly string[] {
  const head = readHead(file, 256)?.toString("utf8");
  const [line] = head?.split("\n", 1) ?? [];
  return line?.startsWith("#!") ? (line.slice(2).match(/\S+/gu) ?? []) : [];
}
