// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the environment of an agent's own login program, which `mix` runs in a terminal: that of the agent's sessions, so
// that it logs in the account that they use.
import { homeDirectory } from "../files/home-directory.ts";
import { ownPrograms } from "./built-program.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { buildCatalogue, unknownAgentMessage } from "./catalogue/catalogue.ts";
import { readAgentValues } from "./catalogue/passed-values.ts";
import { processEnvironment } from "./catalogue/process-environment.ts";
import { defaultLimits } from "./config/limits.ts";
import { describeProblem, loadConfig } from "./config/load.ts";
import { loginSearchPath } from "./instance/login-path.ts";
import { instancePaths } from "./instance/paths.ts";
import { runningEnvironment } from "./instance/running-environment.ts";
import type { LoginEnvironment } from "./vocabulary/login-environment.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Of the agentd that runs, or of one that this process's user would start with the environment `own`. */
export async function loginEnvironment(
  agent: string,
  { own, version }: { readonly own: Environment; readonly version: string },
): Promise<LoginEnvironment> {
  const here = instancePaths(own, homeDirectory(own));
  if (!here.ok) return { problem: here.reason };
  const running = runningEnvironment(here.paths.pidFile) ?? own;
  const environment = { ...running, PATH: await loginSearchPath(running) };
  const home = homeDirectory(environment);
  const found = instancePaths(environment, home);
  if (!found.ok) return { problem: found.reason };
  const { configFile, environmentDirectory, demoSessionsDirectory: demoSessions } = found.paths;
  const uid = process.getuid?.() ?? -1;
  const loaded = loadConfig({ file: configFile, home, uid, bytesMax: defaultLimits.configBytesMax });
  if (!loaded.ok) return { problem: loaded.problems.map(describeProblem).join("\n") };
  const { agents, allowEnv } = loaded.settings;
  const catalogue = buildCatalogue(builtInAgents({ ...ownPrograms(), demoSessions, version }), agents);
  const definition = catalogue.get(agent);
  if (definition === undefined) return { problem: unknownAgentMessage(agent, catalogue) };
  const stored = readAgentValues(
    { environmentDirectory, uid, bytesMax: defaultLimits.environmentValueBytesMax },
    agent,
  );
  if (!stored.ok) return { problem: stored.message };
  const { values } = stored;
  return { environment: processEnvironment(definition, { environment, home, allowEnv, values, isInTerminal: true }) };
}
