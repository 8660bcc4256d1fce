// SPDX-License-Identifier: MIT OR Apache-2.0
// Installs a built-in agent at its pinned version into agentd's own directory, and removes it from there.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../files/attempt.ts";
import { syncFile } from "../../../files/create-atomically.ts";
import { takeFileLock } from "../../../files/file-lock.ts";
import { makeDirectories, preparePrivateDirectory } from "../../../files/make-directories.ts";
import { findOnPath } from "../../../files/find-on-path.ts";
import type { CatalogueEvent, InstalledAgent } from "../../vocabulary/catalogue-change.ts";
import type { AgentDefinition } from "../agents/definition.ts";
import { nodeWarning } from "../catalogue.ts";
import { CatalogueError } from "../catalogue-error.ts";
import { findAgent, programOfPackage } from "../find-program.ts";
import { installedNode, installedVersions, nodePackage, type PinnedPackage, pinnedNode } from "../installed-agents.ts";
import { chooseNode } from "../node-programs.ts";
import type { ProgramPlaces } from "../program-places.ts";
import { trustedSearchPath } from "../search-path.ts";
import { findNpm, installPackage } from "./run-npm.ts";

export interface Installer {
  readonly places: ProgramPlaces;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onProgress: (event: Extract<CatalogueEvent, { event: "progress" }>) => void;
}

export async function installAgent(installer: Installer, agent: AgentDefinition): Promise<InstalledAgent> {
  const { npmPackage: name, npmVersion: version } = agent;
  if (name === undefined || version === undefined) throw notInstallable(agent);
  return underLock(installer, async () => {
    const { places } = installer;
    const directory = join(places.agents.path, agent.name, version);
    const isThere = programOfPackage(programLink(directory, agent), agent).found.status === "installed";
    let node: string | undefined;
    if (isThere) node = await installNeededNode(installer, agent, directory);
    else {
      await installAt(installer, { title: agent.name, package: { name, version }, directory }, async (temporary) => {
        const { found, of } = programOfPackage(programLink(temporary, agent), agent);
        if (found.status === "missing") {
          const message = `npm reported no failure, but has not installed the program ${agent.command[0]}`;
          throw new CatalogueError("INSTALL_FAILED", message);
        }
        if (found.status !== "installed") throw new CatalogueError("INSTALL_FAILED", found.message);
        if (of?.version !== version) throw new CatalogueError("INSTALL_FAILED", `npm did not install ${version}`);
        node = await installNeededNode(installer, agent, temporary);
      });
    }
    const found = findAgent(agent, places);
    if (found.status !== "installed" || found.from === undefined) {
      throw new CatalogueError("INSTALL_FAILED", `${directory} does not contain ${agent.command[0]}`);
    }
    const { file, from, nodeTooOld } = found;
    return {
      version,
      directory,
      was_there: isThere && node === undefined,
      ...(node === undefined ? {} : { node }),
      file,
      from,
      ...(nodeTooOld === undefined ? {} : { warning: nodeWarning(nodeTooOld) }),
    };
  });
}

/** Also removes the Node that was installed for agents, if no agent is left. Returns the agent's removed versions. */
export async function removeAgent(installer: Installer, agent: AgentDefinition): Promise<readonly string[]> {
  if (agent.npmPackage === undefined) throw notInstallable(agent);
  const { path } = installer.places.agents;
  if (!existsSync(join(path, agent.name))) return [];
  return underLock(installer, async () => {
    const versions = installedVersions(path, agent.name);
    discard(path, join(path, agent.name));
    const left = readdirSync(path).filter((name) => !name.startsWith(".") && name !== pinnedNode.name);
    if (left.length === 0) discard(path, join(path, pinnedNode.name));
    return versions;
  });
}

function notInstallable({ name, builtIn, install }: AgentDefinition): CatalogueError {
  const reason = builtIn ? install : "it is an agent of your configuration, whose command you have chosen";
  return new CatalogueError("NOT_INSTALLABLE", `agentd does not install ${name}: ${reason ?? "it has no package"}`);
}

/** One change at a time. What an interrupted one left is removed first. */
async function underLock<T>({ places: { agents } }: Installer, change: () => Promise<T>): Promise<T> {
  const problem = preparePrivateDirectory(agents.path, agents.uid, "agentd");
  if (problem !== undefined) throw new CatalogueError("INSTALL_REFUSED", `${agents.path} ${problem}`);
  const lock = takeLock(join(agents.path, ".lock"));
  if (lock === undefined) throw new CatalogueError("INSTALL_BUSY", "another installation is running; wait for its end");
  try {
    for (const name of readdirSync(agents.path)) {
      if (name.startsWith(temporaryPrefix)) removeTree(join(agents.path, name));
    }
    return await change();
  } catch (error) {
    throw asCatalogueError(error);
  } finally {
    lock.close();
  }
}

function takeLock(file: string): ReturnType<typeof takeFileLock> {
  try {
    return takeFileLock(file, 0);
  } catch (error) {
    throw asCatalogueError(error, `${file} cannot be locked: `);
  }
}

const temporaryPrefix = ".new-";

/** Renamed first, so that no start finds half of it. */
function discard(path: string, directory: string): void {
  if (!existsSync(directory)) return;
  const temporary = mkdtempSync(join(path, temporaryPrefix));
  renameSync(directory, join(temporary, "removed"));
  removeTree(temporary);
}

function removeTree(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

function programLink(directory: string, { command: [program] }: AgentDefinition): string {
  return join(directory, "node_modules", ".bin", program);
}

interface Target {
  /** For people. */
  readonly title: string;
  readonly package: PinnedPackage;
  readonly directory: string;
}

/** Installs into a temporary directory, which is renamed when it is complete and `check` has not thrown. */
async function installAt(
  installer: Installer,
  { title, package: wanted, directory }: Target,
  check: (temporary: string) => Promise<void>,
): Promise<void> {
  const { places, environment, signal, onProgress } = installer;
  const searchPath = trustedSearchPath(places.searchPath, { home: places.home });
  const npm = findNpm(searchPath, places.nodeProgram);
  if (npm === undefined) {
    throw new CatalogueError("INSTALL_NO_NPM", "npm was not found on your PATH; it comes with Node from nodejs.org");
  }
  const temporary = mkdtempSync(join(places.agents.path, temporaryPrefix));
  const began = Date.now();
  let packages = 0;
  const tell = () =>
    onProgress({
      event: "progress",
      name: title,
      version: wanted.version,
      packages,
      elapsed_ms: Date.now() - began,
    });
  const timer = setInterval(tell, progressEveryMs);
  tell();
  try {
    writeFileSync(join(temporary, "package.json"), `{"private":true}\n`);
    const onPackage = (): void => {
      packages += 1;
    };
    const { nodeProgram } = places;
    await installPackage({ npm, environment, searchPath, nodeProgram, into: temporary, wanted, signal, onPackage });
    clearInterval(timer);
    await check(temporary);
    makeDirectories(join(directory, ".."));
    // What is there does not work.
    discard(places.agents.path, directory);
    renameSync(temporary, directory);
    syncFile(join(directory, ".."));
  } catch (error) {
    throw asCatalogueError(error);
  } finally {
    clearInterval(timer);
    attempt(() => removeTree(temporary));
  }
}

const progressEveryMs = 1_000;

/** Turns an error of the file system, or of SQLite, into one with a code for people. */
function asCatalogueError(error: unknown, what = ""): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof CatalogueError || code === undefined) return error;
  const isFull = ["ENOSPC", "EDQUOT", "SQLITE_FULL"].includes(code);
  const words = isFull ? "the disk is full" : `${what}${message}`;
  return new CatalogueError(isFull ? "INSTALL_NO_SPACE" : "INSTALL_REFUSED", words, { cause: error });
}

/** Installs a Node if the agent's package in `directory` needs a newer one than there is; returns its version. */
async function installNeededNode(
  installer: Installer,
  agent: AgentDefinition,
  directory: string,
): Promise<string | undefined> {
  const { places } = installer;
  const range = programOfPackage(programLink(directory, agent), agent).of?.node;
  const searchPath = trustedSearchPath(places.searchPath, { home: places.home });
  const nodes = [findOnPath("node", searchPath), places.nodeProgram, installedNode(places.agents)];
  const wanted = nodePackage();
  if (chooseNode(nodes, range)?.tooOld === undefined || wanted === undefined) return undefined;
  const target = join(places.agents.path, pinnedNode.name, pinnedNode.version);
  await installAt(installer, { title: "Node", package: wanted, directory: target }, async (temporary) => {
    const program = join(temporary, "node_modules", wanted.name, "bin", "node");
    if (chooseNode([program], `>=${pinnedNode.version}`)?.tooOld === undefined && existsSync(program)) return;
    throw new CatalogueError("INSTALL_FAILED", `${wanted.name} does not contain Node ${pinnedNode.version}`);
  });
  return pinnedNode.version;
}
