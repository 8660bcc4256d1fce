// SPDX-License-Identifier: MIT OR Apache-2.0
// Which Node runs an agent that is a Node program, and whether its version is new enough for the agent's package.
import { execFileSync } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { attempt } from "../../files/attempt.ts";
import { isProgram } from "../../files/find-on-path.ts";

export interface ChosenNode {
  readonly file: string;
  /** Set if the version is older than the package needs: the oldest version that suffices, and the version there is. */
  readonly tooOld?: { readonly needed: string; readonly version: string };
}

/**
 * Chooses the first program whose version suffices, or else the first at all. `range` is the `engines.node` of a package;
 * only ranges of the form `>=22.1` are understood, all others are met by every version.
 */
export function chooseNode(
  programs: readonly (string | undefined)[],
  range: string | undefined,
): ChosenNode | undefined {
  const present = programs.filter((file) => file !== undefined && isProgram(file)) as string[];
  const needed = minimumOf(range);
  const [first] = present;
  if (first === undefined || needed === undefined) return first === undefined ? undefined : { file: first };
  const sufficient = present.find((file) => isAtLeast(nodeVersion(file), needed));
  if (sufficient !== undefined) return { file: sufficient };
  const version = nodeVersion(first);
  return version === undefined ? { file: first } : { file: first, tooOld: { needed, version } };
}

function minimumOf(range: string | undefined): string | undefined {
  return /^>=\s*v?(\d+(?:\.\d+){0,2})$/u.exec(range?.trim() ?? "")?.[1];
}

/** False for an unknown version. */
export function isAtLeast(version: string | undefined, needed: string): boolean {
  const have = numbersOf(version ?? "");
  const need = numbersOf(needed);
  const at = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return version !== undefined && (at < 0 || (have[at] ?? 0) > (need[at] ?? 0));
}

function numbersOf(version: string): number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}

/** Versions that were asked for, by the program's identity. */
const known = new Map<string, string | undefined>();
const knownMax = 64;
const versionWithinMs = 5_000;

/** Runs `node --version` once for each program, unless it is this process's own. Undefined if it does not say. */
function nodeVersion(file: string): string | undefined {
  const real = realPath(file);
  // An upgrade may have removed this process's own file.
  if (real === realPath(process.execPath)) return process.versions.node;
  const { dev, ino, mtimeMs, size } = attempt(() => statSync(real)) ?? {};
  const identity = [real, dev, ino, mtimeMs, size].join(" ");
  if (!known.has(identity)) {
    if (known.size >= knownMax) known.clear();
    known.set(identity, askVersion(real));
  }
  return known.get(identity);
}

function realPath(file: string): string {
  return attempt(() => realpathSync(file)) ?? file;
}

function askVersion(file: string): string | undefined {
  const options = { cwd: "/", env: {}, timeout: versionWithinMs, encoding: "utf8", maxBuffer: 1024 } as const;
  const printed = attempt(() => execFileSync(file, ["--version"], { ...options, stdio: ["ignore", "pipe", "ignore"] }));
  return /^v(\d+\.\d+\.\d+)/u.exec(printed ?? "")?.[1];
}
