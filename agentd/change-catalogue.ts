// SPDX-License-Identifier: MIT OR Apache-2.0
// Changes which agents there are, for a person at a terminal: `mix agent agents install` runs this program. It needs no
// daemon, and a running one sees the change at the next start of an agent.
import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import { attempt } from "../files/attempt.ts";
import { ownPrograms } from "./built-program.ts";
import type { AgentDefinition } from "./catalogue/agents/definition.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { buildCatalogue, type Catalogue, unknownAgentMessage } from "./catalogue/catalogue.ts";
import { CatalogueError } from "./catalogue/catalogue-error.ts";
import { installAgent, type Installer, removeAgent } from "./catalogue/install/install-agent.ts";
import { programPlaces } from "./catalogue/program-places.ts";
import { defaultLimits } from "./config/limits.ts";
import { loadConfig } from "./config/load.ts";
import { instancePaths } from "./instance/paths.ts";
import type { CatalogueChange, CatalogueEvent } from "./vocabulary/catalogue-change.ts";

export type CatalogueRequest = { readonly kind: "install" | "remove"; readonly agent: string };

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
  const [environment, home, uid] = [process.env, homedir(), process.getuid?.() ?? -1];
  const found = instancePaths(environment, home);
  if (!found.ok) throw new CatalogueError("FAILED", found.reason);
  const { paths } = found;
  const builtIn = builtInAgents({ ...ownPrograms(), demoSessions: paths.demoSessionsDirectory, version });
  const loaded = loadConfig({ file: paths.configFile, home, uid, bytesMax: defaultLimits.configBytesMax });
  const agent = agentNamed(request.agent, buildCatalogue(builtIn, loaded.ok ? loaded.settings.agents : new Map()));
  const places = programPlaces({ paths, environment, home, uid });
  const installer: Installer = { places, environment, signal, onProgress };
  if (request.kind === "remove") return { agent: agent.name, removed: await removeAgent(installer, agent) };
  return { agent: agent.name, installed: await installAgent(installer, agent) };
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
