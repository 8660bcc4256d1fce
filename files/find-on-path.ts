// SPDX-License-Identifier: MIT OR Apache-2.0
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

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
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
