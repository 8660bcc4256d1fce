// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks where a session may work: existing directories under the configured roots, by their real paths.
import { accessSync, constants, mkdtempSync, realpathSync, statSync, statfsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { attempt } from "../../files/attempt.ts";
import { kernelDirectories, kernelFileSystems } from "./kernel-files.ts";
import type { Reserved } from "./reserved.ts";
import { isBelow, isWithin } from "./within.ts";

export type Directories =
  | {
      readonly ok: true;
      /** Real paths. Start the agent here rather than at the requested path, which may be re-linked by then. */
      readonly cwd: string;
      /** Without duplicates and without `cwd`. */
      readonly additionalDirectories: readonly string[];
    }
  | { readonly ok: false; readonly refusal: DirectoryRefusal };

export type DirectoryRefusal =
  | {
      readonly code: "ROOT_REFUSED";
      /** As requested. */
      readonly path: string;
      readonly roots: readonly string[];
      readonly message: string;
    }
  | { readonly code: "ARGUMENT"; readonly field: "cwd" | "additional_dirs"; readonly message: string };

export interface DirectoryRules {
  /** The configuration file, named in refusals. */
  readonly configFile: string;
  /** From the configuration. Undefined: anything within the home directory except its hidden directories. */
  readonly roots: readonly string[] | undefined;
  readonly home: string;
  /** Refused whatever the roots, except for workspaces. */
  readonly reserved: Reserved;
  /** A directory that `freshWorkspace` created here is always allowed. */
  readonly workspacesDirectory: string;
}

/**
 * Each directory must be absolute, exist, be readable and searchable, and lie under a root when links in both are
 * resolved. Refuses `/proc`, `/sys` and `/dev` whatever the roots. Reads the file system and changes nothing.
 */
export function resolveDirectories(
  asked: { readonly cwd: string; readonly additionalDirectories: readonly string[] },
  rules: DirectoryRules,
): Directories {
  const allowed = allowedBy(rules);
  const cwd = resolveOne(asked.cwd, "cwd", allowed);
  if (typeof cwd !== "string") return { ok: false, refusal: cwd };
  const additional = new Set<string>();
  for (const path of asked.additionalDirectories) {
    const resolved = resolveOne(path, "additional_dirs", allowed);
    if (typeof resolved !== "string") return { ok: false, refusal: resolved };
    if (resolved !== cwd) additional.add(resolved);
  }
  return { ok: true, cwd, additionalDirectories: [...additional] };
}

/** Creates a directory, mode 0700, for a session that was started without one. Throws if it cannot be created. */
export function freshWorkspace(workspacesDirectory: string): string {
  return realpathSync.native(mkdtempSync(join(workspacesDirectory, "session-")));
}

/** Whether `freshWorkspace` created it. `path` is a real path. */
export function isWorkspace(path: string, workspacesDirectory: string): boolean {
  const workspaces = realPathOf(workspacesDirectory);
  return workspaces !== undefined && isBelow(path, workspaces);
}

interface Allowed {
  /** As configured. */
  readonly roots: readonly string[];
  readonly configFile: string;
  /** Returns why the real path is refused, or undefined. */
  refusalOf(path: string): string | undefined;
}

function allowedBy({ configFile, roots, home, reserved, workspacesDirectory }: DirectoryRules): Allowed {
  const realHome = realPathOf(home);
  const realRoots = (roots ?? []).flatMap((root) => realPathOf(root) ?? []);
  return {
    roots: roots ?? [home],
    configFile,
    refusalOf(path) {
      if (isWorkspace(path, workspacesDirectory)) return undefined;
      if (isKernelDirectory(path)) return "belongs to the kernel";
      if (reserved.includes(path)) return "is reserved for agentd's log, secrets or sockets";
      if (roots !== undefined)
        return realRoots.some((root) => isWithin(path, root)) ? undefined : "lies outside the roots";
      return homeRefusal(path, realHome);
    },
  };
}

/** The rule if no roots are configured. A home directory of "/" counts as none, since it would allow everything. */
function homeRefusal(path: string, home: string | undefined): string | undefined {
  if (home === undefined || home === "/") return "lies outside the roots: there is no home directory, and none are set";
  if (path === home) return "is the home directory itself, with its hidden directories; use one within it";
  if (!isBelow(path, home)) return "lies outside the home directory";
  if (path[home.length + 1] === ".") return "lies in a hidden directory of the home directory";
  return undefined;
}

/** Returns the real path, or why it is refused. */
function resolveOne(asked: string, field: "cwd" | "additional_dirs", allowed: Allowed): string | DirectoryRefusal {
  const wrong = (reason: string): DirectoryRefusal => {
    return { code: "ARGUMENT", field, message: `${field}: ${JSON.stringify(asked.slice(0, 256))} ${reason}` };
  };
  if (asked.includes("\0")) return wrong("contains a NUL character");
  if (!isAbsolute(asked)) return wrong("is not an absolute path");
  let path: string;
  try {
    // The native variant resolves `..` after following links, as the kernel does; the other removes it from the text.
    path = realpathSync.native(asked);
    if (!statSync(path).isDirectory()) return wrong("is not a directory");
  } catch (cause) {
    return wrong(reasonOf(cause));
  }
  const reason = allowed.refusalOf(path);
  if (reason !== undefined) return outside(asked, path, allowed, reason);
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
  } catch {
    return wrong("cannot be listed or entered by agentd");
  }
  return path;
}

function outside(asked: string, path: string, { roots, configFile }: Allowed, reason: string): DirectoryRefusal {
  const really = path === asked ? "" : ` (really ${path})`;
  const advice = `\`roots\` in ${configFile} says where sessions may work`;
  return { code: "ROOT_REFUSED", path: asked, roots, message: `${asked}${really} ${reason}; ${advice}` };
}

const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "leads through something that is not a directory"],
  ["EACCES", "cannot be accessed by agentd"],
  ["ELOOP", "is a loop of links"],
]);

function reasonOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  return reasons.get(code) ?? `cannot be resolved (${code ?? String(cause)})`;
}

/** Checks the name, and the type of the file system wherever it is mounted. */
function isKernelDirectory(path: string): boolean {
  if (kernelDirectories.some((directory) => isWithin(path, directory))) return true;
  if (process.platform !== "linux") return false;
  try {
    return kernelFileSystems.has(statfsSync(path).type);
  } catch {
    // Removed since it was resolved; the access check comes next.
    return false;
  }
}

/** Whether a real path still is one: a link may have replaced a part of it since. */
export function isStillReal(path: string): boolean {
  return realPathOf(path) === path;
}

/** Undefined for a missing or relative path. */
export function realPathOf(path: string): string | undefined {
  return isAbsolute(path) ? attempt(() => realpathSync.native(path)) : undefined;
}
