// SPDX-License-Identifier: MIT OR Apache-2.0
// Explains why a program could not be started. The kernel reports ENOENT for a missing program, working directory or
// interpreter alike, and EACCES for a directory or a missing permission.
import { statSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { attempt } from "../../files/attempt.ts";
import { interpreterWords, isExecutable } from "../../files/find-on-path.ts";

export interface SpawnFailure {
  readonly code: string;
  readonly message: string;
}

export interface SpawnAttempt {
  /** Program and arguments, run without a shell. A bare name is looked up in the PATH of `env`. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The child's whole environment; only the marker is added to it. */
  readonly env: Readonly<Record<string, string>>;
}

export function explainSpawnFailure(error: unknown, tried: SpawnAttempt): SpawnFailure {
  const code = findErrorCode(error);
  const why =
    findCwdFault(tried.cwd) ?? findProgramFault(tried) ?? (error instanceof Error ? error.message : String(error));
  return { code, message: `${JSON.stringify(tried.command[0])} could not be started: ${why}` };
}

/** Whether the program is found as a file, by its path or in PATH. It need not be executable. */
export function isProgramFile(tried: SpawnAttempt): boolean {
  const path = findProgram(tried);
  return path !== undefined && kindOf(path) === "file";
}

/** Finds the error code in the causes, since execa wraps the error of spawn. */
function findErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? "UNKNOWN" : findErrorCode(error.cause);
}

function findCwdFault(cwd: string): string | undefined {
  const found = kindOf(cwd);
  if (found === "absent") return `its working directory ${cwd} does not exist`;
  return found === "directory" ? undefined : `its working directory ${cwd} is not a directory`;
}

function findProgramFault(tried: SpawnAttempt): string | undefined {
  const path = findProgram(tried);
  if (path === undefined) return `there is no such program in PATH (${tried.env["PATH"] ?? "not set"})`;
  const kind = kindOf(path);
  if (kind === "absent") return `there is no file ${path}`;
  if (kind === "directory") return `${path} is a directory`;
  if (!isExecutable(path)) return `${path} is not executable`;
  const [interpreter] = interpreterWords(path);
  if (interpreter !== undefined && kindOf(interpreter) === "absent")
    return `its interpreter ${interpreter}, named in the first line of ${path}, does not exist`;
  return undefined;
}

/** Finds a program like execvp. If none is executable, returns the first match, for the error message. */
function findProgram({ command: [program], cwd, env }: SpawnAttempt): string | undefined {
  if (program.includes("/")) return isAbsolute(program) ? program : resolve(cwd, program);
  const hits = (env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => resolve(cwd, directory, program))
    .filter((path) => kindOf(path) !== "absent");
  return hits.find((path) => kindOf(path) === "file" && isExecutable(path)) ?? hits[0];
}

function kindOf(path: string): "absent" | "directory" | "file" {
  const stat = attempt(() => statSync(path));
  if (stat === undefined) return "absent";
  return stat.isDirectory() ? "directory" : "file";
}
