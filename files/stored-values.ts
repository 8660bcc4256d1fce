// SPDX-License-Identifier: MIT OR Apache-2.0
// The secret values of environment variables that a person has stored for agents: one file each, in a directory that only
// the user can read. `mix` writes them and agentd reads them, so that no value travels over the Bus.
import { readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { preparePrivateDirectory } from "./make-directories.ts";
import { replaceFile } from "./replace-file.ts";

export interface StoredName {
  readonly name: string;
  /** The agent whose processes all get the value. Without one, a start has to ask for it by name. */
  readonly agent: string | undefined;
}

export function valuesDirectory(stateDirectory: string): string {
  return join(stateDirectory, "env");
}

/** `AGENTD_…` are agentd's own: `AGENTD_SESSION` identifies the session that a process belongs to. */
export function isVariableName(name: string): boolean {
  return /^(?!AGENTD_)[A-Za-z_][A-Za-z0-9_]{0,127}$/u.test(name);
}

/** Neither names of agents nor of variables contain a colon. */
export function storedFile(directory: string, { name, agent }: StoredName): string {
  return join(directory, agent === undefined ? name : `${agent}:${name}`);
}

/** Throws the file system's error, unless there is no directory. */
export function listStoredNames(directory: string): readonly StoredName[] {
  return filesOf(directory)
    .flatMap((file) => {
      const [first = "", second] = file.split(":", 2);
      const stored = second === undefined ? { name: first, agent: undefined } : { name: second, agent: first };
      return isVariableName(stored.name) && storedFile("", stored) === file ? [stored] : [];
    })
    .toSorted((one, other) => storedFile("", one).localeCompare(storedFile("", other)));
}

/** Returns the reason if the directory must not be used. Throws the file system's error. */
export function storeValue(directory: string, uid: number, stored: StoredName, value: string): string | undefined {
  const problem = preparePrivateDirectory(directory, uid, "agentd");
  if (problem !== undefined) return `${directory} ${problem}`;
  replaceFile(storedFile(directory, stored), value);
  return undefined;
}

/** Also removes what a killed `storeValue` left. Returns false if there was no value. Throws the file system's error. */
export function removeStoredValue(directory: string, stored: StoredName): boolean {
  const leftover = `${storedFile("", stored)}.new-`;
  for (const file of filesOf(directory)) if (file.startsWith(leftover)) rmSync(join(directory, file), { force: true });
  try {
    unlinkSync(storedFile(directory, stored));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function filesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
