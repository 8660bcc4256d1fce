// SPDX-License-Identifier: MIT OR Apache-2.0
// Changes which agents there are, for a person at a terminal: `mix agent agents install` runs this program. It needs no
// daemon, and a running one sees the change at the next start of an agent.
import { fstatSync } from "node:fs";
import { attempt } from "../files/attempt.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { ownPrograms } from "./built-program.ts";
import type { AgentDefinition } from "./catalogue/agents/definition.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { buildCatalogue, type Catalogue, unknownAgentMessage } from "./catalogue/catalogue.ts";
import { CatalogueError } from "./catalogue/catalogue-error.ts";
import { installAgent, type Installer, removeAgent } from "./catalogue/install/install-agent.ts";
import { findAgent } from "./catalogue/find-program.ts";
import { type ProgramPlaces, programPlaces } from "./catalogue/program-places.ts";
import { readRegistry } from "./catalogue/registry/read-registry.ts";
import { defaultLimits } from "./config/limits.ts";
import { underConfigLock } from "./config/config-lock.ts";
import { type ConfigSource, loadConfig } from "./config/load.ts";
import { parseSettings } from "./config/schema.ts";
import { writeAgent } from "./config/write-agent.ts";
import { instancePaths } from "./instance/paths.ts";
import type { AddedToConfiguration, CatalogueChange, CatalogueEvent } from "./vocabulary/catalogue-change.ts";

export type CatalogueRequest =
  | { readonly kind: "install" | "remove"; readonly agent: string }
  | {
      readonly kind: "add";
      readonly agent: string;
      readonly command: readonly string[];
      /** Its variables, as the caller sent them: they are checked as those of the configuration are. */
      readonly env: unknown;
      /** Replaces an agent of that name. */
      readonly replace: boolean;
    }
  /** `source`: an absolute path or a URL. */
  | { readonly kind: "registry"; readonly source: string };

/** Returns whether it was done; `onEvent` is told how it went. */
export async function changeCatalogue(
  request: CatalogueRequest,
  version: string,
  onEvent: (event: CatalogueEvent) => void,
): Promise<boolean> {
  const aborted = abortedByUser();
  try {
    onEvent({ event: "done", ...(await change(request, version, aborted.signal, onEvent)) });
    return true;
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    onEvent({ event: "failed", code: error.code, message: error.message });
    return false;
  } finally {
    aborted.stop();
  }
}

async function change(
  request: CatalogueRequest,
  version: string,
  signal: AbortSignal,
  onProgress: Installer["onProgress"],
): Promise<CatalogueChange> {
  if (request.kind === "registry") return { agent: "", registry: await readRegistry(request.source, signal) };
  if (request.kind === "add") return { agent: request.agent, added: addAgent(version, request) };
  const { catalogue, places } = openCatalogue(version);
  const agent = agentNamed(request.agent, catalogue);
  const installer: Installer = { places, environment: process.env, signal, onProgress };
  if (request.kind === "remove") return { agent: agent.name, removed: await removeAgent(installer, agent) };
  return { agent: agent.name, installed: await installAgent(installer, agent) };
}

interface CatalogueHere {
  readonly catalogue: Catalogue;
  readonly places: ProgramPlaces;
  readonly source: ConfigSource;
}

/** Of this process's user and environment. */
function findInstance() {
  const [environment, home, uid] = [process.env, homeDirectory(process.env), process.getuid?.() ?? -1];
  const found = instancePaths(environment, home);
  if (!found.ok) throw new CatalogueError("FAILED", found.reason);
  return { environment, home, uid, paths: found.paths };
}

/** A faulty configuration file counts as none. */
function openCatalogue(version: string): CatalogueHere {
  const { environment, home, uid, paths } = findInstance();
  const source: ConfigSource = { file: paths.configFile, home, uid, bytesMax: defaultLimits.configBytesMax };
  const builtIn = builtInAgents({ ...ownPrograms(), demoSessions: paths.demoSessionsDirectory, version });
  const loaded = loadConfig(source);
  const catalogue = buildCatalogue(builtIn, loaded.ok ? loaded.settings.agents : new Map());
  return { catalogue, places: programPlaces({ paths, environment, home, uid }), source };
}

function addAgent(version: string, request: AddRequest): AddedToConfiguration {
  const { paths, uid } = findInstance();
  const { stateDirectory } = paths;
  const added = underConfigLock({ stateDirectory, uid }, () => addToConfiguration(openCatalogue(version), request));
  if (!added.ok) throw new CatalogueError("CONFIG_REFUSED", added.reason);
  return added.value;
}

type AddRequest = Extract<CatalogueRequest, { kind: "add" }>;

function addToConfiguration(
  { catalogue, places, source }: CatalogueHere,
  { agent: name, command, env, replace }: AddRequest,
): AddedToConfiguration {
  if (catalogue.has(name) && !replace) {
    throw new CatalogueError("AGENT_EXISTS", `there is an agent ${name} already; --replace gives it another command`);
  }
  // The same rules as for the file, before anything of it is written.
  const parsed = parseSettings({ agents: { [name]: { command, env } } }, source.home);
  if (!parsed.ok) throw new CatalogueError("USAGE", parsed.faults.map(({ reason }) => reason).join("; "));
  const variables = parsed.settings.agents.get(name)?.env ?? {};
  const wanted = Object.keys(variables).length === 0 ? { name, command } : { name, command, env: variables };
  const written = writeAgent(source, wanted);
  if (!written.ok) throw new CatalogueError("CONFIG_REFUSED", written.reason);
  const definition = buildCatalogue([], written.settings.agents).get(name);
  const found = definition === undefined ? undefined : findAgent(definition, places);
  const problem = found === undefined || found.status === "installed" ? {} : { problem: found.message };
  return { file: source.file, command, ...problem };
}

function agentNamed(name: string, catalogue: Catalogue): AgentDefinition {
  const agent = catalogue.get(name);
  if (agent === undefined) throw new CatalogueError("AGENT_UNKNOWN", unknownAgentMessage(name, catalogue));
  return agent;
}

/** Aborts on Ctrl-C, and when mix, which holds the other end of the socket that is stdin, is gone. */
function abortedByUser(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, abort);
  const isFromMix = attempt(() => fstatSync(0).isSocket()) === true;
  if (isFromMix) process.stdin.on("end", abort).on("error", abort).resume();
  return {
    signal: controller.signal,
    stop: () => {
      if (isFromMix) process.stdin.destroy();
    },
  };
}
