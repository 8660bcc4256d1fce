// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a session may work: existing directories under the instance's roots, judged by where they really are.
import { accessSync, constants, mkdtempSync, realpathSync, statSync, statfsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { kernelDirectories, kernelFileSystems } from "./kernel-files.ts";
import type { Reserved } from "./reserved.ts";
import { isBelow, isWithin } from "./within.ts";

export type Directories =
  | {
      readonly ok: true;
      /** Without links; so are the others. Start the agent here, not at what was asked: a link may lead elsewhere by then. */
      readonly cwd: string;
      /** Without repetitions, and without `cwd`. */
      readonly additionalDirectories: readonly string[];
    }
  | { readonly ok: false; readonly refusal: DirectoryRefusal };

export type DirectoryRefusal =
  | {
      readonly code: "ROOT_REFUSED";
      /** As it was asked. */
      readonly path: string;
      readonly roots: readonly string[];
      readonly message: string;
    }
  | { readonly code: "ARGUMENT"; readonly field: "cwd" | "additional_dirs"; readonly message: string };

export interface DirectoryRules {
  /** The instance's file, where a refusal says that the roots can be changed. */
  readonly configFile: string;
  /** From there. Undefined: the home directory, but neither itself nor a hidden directory in it. */
  readonly roots: readonly string[] | undefined;
  readonly home: string;
  /** No session works in those, but for: */
  readonly reserved: Reserved;
  /** What `freshWorkspace` made is always allowed. */
  readonly workspacesDirectory: string;
}

/**
 * Each directory must be absolute, exist, be one that agentd may list and enter, and lie under a root after links are
 * resolved, in both. `/proc`, `/sys` and `/dev` never are session directories, whatever the roots. Looks at the file
 * system and changes nothing.
 */
export function resolveDirectories(
  asked: { readonly cwd: string; readonly additionalDirectories: readonly string[] },
  rules: DirectoryRules,
): Directories {
  const allowed = allowedBy(rules);
  const cwd = resolveOne(asked.cwd, "cwd", allowed);
  if (!cwd.ok) return cwd;
  const additional = new Set<string>();
  for (const path of asked.additionalDirectories) {
    const resolved = resolveOne(path, "additional_dirs", allowed);
    if (!resolved.ok) return resolved;
    if (resolved.path !== cwd.path) additional.add(resolved.path);
  }
  return { ok: true, cwd: cwd.path, additionalDirectories: [...additional] };
}

/** A directory of its own for a session that brought none, mode 0700; throws where it cannot be made. */
export function freshWorkspace(workspacesDirectory: string): string {
  return realpathSync.native(mkdtempSync(join(workspacesDirectory, "session-")));
}

/** Whether `freshWorkspace` made it. `path`: without links. */
export function isWorkspace(path: string, workspacesDirectory: string): boolean {
  const workspaces = realPathOf(workspacesDirectory);
  return workspaces !== undefined && isBelow(path, workspaces);
}

interface Allowed {
  /** As people wrote them. */
  readonly roots: readonly string[];
  readonly configFile: string;
  /** Why the resolved directory is refused, or undefined. */
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
      if (isKernelDirectory(path)) return "is the kernel's";
      if (reserved.includes(path)) return "is where agentd keeps its log, its secrets or a socket";
      if (roots !== undefined)
        return realRoots.some((root) => isWithin(path, root)) ? undefined : "lies outside the roots";
      return homeRefusal(path, realHome);
    },
  };
}

/** The rule without roots. A home of "/" is no home: everything would lie in it. */
function homeRefusal(path: string, home: string | undefined): string | undefined {
  if (home === undefined || home === "/") return "lies outside the roots: there is no home directory, and none are set";
  if (path === home) return "is the home directory itself, with all that is hidden in it; name one within it";
  if (!isBelow(path, home)) return "lies outside the home directory";
  if (path[home.length + 1] === ".") return "lies in a hidden directory of the home directory";
  return undefined;
}

type Resolved =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly refusal: DirectoryRefusal };

function resolveOne(asked: string, field: "cwd" | "additional_dirs", allowed: Allowed): Resolved {
  const wrong = (reason: string): Resolved => ({
    ok: false,
    refusal: { code: "ARGUMENT", field, message: `${field}: ${JSON.stringify(asked.slice(0, 256))} ${reason}` },
  });
  if (asked.includes("\0")) return wrong("has a NUL character in it");
  if (!isAbsolute(asked)) return wrong("is not an absolute path");
  let path: string;
  try {
    // The C library's: it follows `..` from where a link has led, as the kernel will, and not in the text.
    path = realpathSync.native(asked);
    if (!statSync(path).isDirectory()) return wrong("is not a directory");
  } catch (cause) {
    return wrong(reasonOf(cause));
  }
  const reason = allowed.refusalOf(path);
  if (reason !== undefined) return { ok: false, refusal: outside(asked, path, allowed, reason) };
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
  } catch {
    return wrong("may not be listed or entered by agentd");
  }
  return { ok: true, path };
}

function outside(asked: string, path: string, { roots, configFile }: Allowed, reason: string): DirectoryRefusal {
  const really = path === asked ? "" : ` (really ${path})`;
  const advice = `\`roots\` in ${configFile} says where sessions may work`;
  return { code: "ROOT_REFUSED", path: asked, roots, message: `${asked}${really} ${reason}; ${advice}` };
}

const reasons: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "leads through something that is not a directory"],
  ["EACCES", "may not be looked at by agentd"],
  ["ELOOP", "is a circle of links"],
]);

function reasonOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  return reasons.get(code) ?? `cannot be resolved (${code ?? String(cause)})`;
}

/** By name, and by the kind of file system wherever it is mounted. */
function isKernelDirectory(path: string): boolean {
  if (kernelDirectories.some((directory) => isWithin(path, directory))) return true;
  if (process.platform !== "linux") return false;
  try {
    return kernelFileSystems.has(statfsSync(path).type);
  } catch {
    // Gone since it was resolved; whether it can be entered is looked at next.
    return false;
  }
}

/** Whether a place that was without links still is: a link that was put there since leads elsewhere. */
export function isStillReal(path: string): boolean {
  return realPathOf(path) === path;
}

/** Where it really is; undefined for what is not there or is no absolute path: nothing lies under it. */
function realPathOf(path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
