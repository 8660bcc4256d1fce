// SPDX-License-Identifier: MIT OR Apache-2.0
// Looks at what a start of agentd would find: paths, configuration, log and agents. Opens no database, starts nothing
// and changes nothing, so it may run beside a daemon.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { attempt } from "../files/attempt.ts";
import type { Build } from "../files/installed-build.ts";
import { privateDirectoryProblem } from "../files/make-directories.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { ownPrograms } from "./built-program.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { buildCatalogue, catalogueEntries } from "./catalogue/catalogue.ts";
import { readAgentValues } from "./catalogue/passed-values.ts";
import { environmentWithStored } from "./catalogue/process-environment.ts";
import { programPlaces } from "./catalogue/program-places.ts";
import { defaultLimits } from "./config/limits.ts";
import { describeProblem, loadConfig } from "./config/load.ts";
import { instancePaths } from "./instance/paths.ts";
import type { CheckReport } from "./vocabulary/check.ts";

/** For this process's user and environment. */
export function checkInstallation(build: Build): CheckReport {
  const [environment, home, uid] = [process.env, homeDirectory(process.env), process.getuid?.() ?? -1];
  const found = instancePaths(environment, home);
  if (!found.ok) return { ...build, problem: found.reason };
  const { stateDirectory, logFile, configFile, environmentDirectory } = found.paths;
  const problem = privateDirectoryProblem(stateDirectory, uid, "agentd");
  const loaded = loadConfig({ file: configFile, home, uid, bytesMax: defaultLimits.configBytesMax });
  const catalogue = buildCatalogue(
    builtInAgents({ ...ownPrograms(), demoSessions: found.paths.demoSessionsDirectory, version: build.version }),
    loaded.ok ? loaded.settings.agents : new Map(),
  );
  const allowEnv = loaded.ok ? loaded.settings.allowEnv : [];
  const values = { environmentDirectory, uid, bytesMax: defaultLimits.environmentValueBytesMax };
  return {
    ...build,
    state: { directory: stateDirectory, ...(problem === undefined ? {} : { problem }) },
    log: checkLog(logFile),
    config: {
      file: configFile,
      loaded: loaded.text !== undefined,
      problems: loaded.ok ? [] : loaded.problems.map(describeProblem),
      warnings: loaded.ok ? loaded.warnings.map(describeProblem) : [],
    },
    agents: catalogueEntries(catalogue, programPlaces({ paths: found.paths, environment, home, uid }), {
      environmentOf: (agent) =>
        environmentWithStored(agent, { environment, home, allowEnv, stored: readAgentValues(values, agent.name) }),
    }),
  };
}

/** Reads the file's first bytes only: opening the database would create files beside it. */
function checkLog(file: string): NonNullable<CheckReport["log"]> {
  const bytes = attempt(() => statSync(file).size);
  if (bytes === undefined) return { file, bytes: null };
  const problem = headerProblem(file);
  return { file, bytes, ...(problem === undefined ? {} : { problem }) };
}

function headerProblem(file: string): string | undefined {
  const head = Buffer.alloc(sqliteMagic.length);
  try {
    const descriptor = openSync(file, "r");
    try {
      readSync(descriptor, head, 0, head.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    return `cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`;
  }
  return head.equals(sqliteMagic) ? undefined : "is not an SQLite database";
}

/** https://www.sqlite.org/fileformat.html#magic_header_string */
const sqliteMagic = Buffer.from("SQLite format 3\0", "latin1");
