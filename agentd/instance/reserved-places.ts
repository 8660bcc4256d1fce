// SPDX-License-Identifier: MIT OR Apache-2.0
// What is reserved on this machine: whatever decides for people, by whichever program of ours it is read.
import { dirname, isAbsolute, join } from "node:path";
import { embeddedSocketPath, nodeConfigFiles, type Surroundings } from "../../bus-client/index.ts";
import type { InstancePaths } from "./paths.ts";
import type { ReservedPlaces } from "./reserved.ts";

export function reservedPlaces(
  { stateDirectory, workspacesDirectory, configFile }: InstancePaths,
  surroundings: Surroundings,
): ReservedPlaces {
  const socketDirectory = dirname(embeddedSocketPath(surroundings));
  return {
    directories: [stateDirectory, socketDirectory, ...notifydDirectory(surroundings)],
    open: [workspacesDirectory],
    files: [configFile, ...nodeConfigFiles(surroundings).filter((file) => isAbsolute(file))],
  };
}

/** Where notifyd keeps questions and answers, if it is started with the same environment. */
function notifydDirectory({ env, home }: Surroundings): string[] {
  const state = env["XDG_STATE_HOME"];
  const base = state && isAbsolute(state) ? state : join(home, ".local", "state");
  const directory = env["NOTIFYD_STATE_DIR"] || join(base, "notifyd");
  return isAbsolute(directory) ? [directory] : [];
}
