// SPDX-License-Identifier: MIT OR Apache-2.0
// Where agents' programs are looked for.
import type { InstancePaths } from "../instance/paths.ts";
import type { AgentsDirectory } from "./installed-agents.ts";
import { npmBinDirectory } from "./search-path.ts";

export interface ProgramPlaces {
  readonly searchPath: string | undefined;
  readonly home: string;
  /** Read anew each time, as the user may change npm's prefix. */
  readonly npmBin: () => string;
  readonly agents: AgentsDirectory;
  /** agentd's own Node. */
  readonly nodeProgram: string;
}

export interface Installation {
  readonly paths: Pick<InstancePaths, "agentsDirectory">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
}

export function programPlaces({ paths, environment, home, uid }: Installation): ProgramPlaces {
  const searchPath = environment["PATH"];
  return {
    searchPath,
    home,
    npmBin: () => npmBinDirectory(environment, home, searchPath),
    agents: { path: paths.agentsDirectory, uid },
    nodeProgram: process.execPath,
  };
}
