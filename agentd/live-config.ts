// SPDX-License-Identifier: MIT OR Apache-2.0
// The current configuration: loaded at start, and reloaded when its file changes. An invalid edit has no effect.
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import type { AgentDefinition } from "./catalogue/agents/definition.ts";
import { buildCatalogue } from "./catalogue/catalogue.ts";
import { describeProblem, type LoadedConfig, loadConfig } from "./config/load.ts";
import type { Limits } from "./config/limits.ts";
import { watchConfig } from "./config/watch.ts";
import { DaemonError } from "./daemon-error.ts";
import { attempt } from "../files/attempt.ts";

export interface LiveConfigOptions {
  readonly file: string;
  readonly home: string;
  readonly uid: number;
  readonly limits: Limits;
  readonly builtIn: readonly AgentDefinition[];
  readonly logger: Logger;
}

/** Throws CONFIG_REFUSED if the file is invalid at the start. */
export function openLiveConfig({ file, home, uid, limits, builtIn, logger }: LiveConfigOptions) {
  const current: LoadedConfig = loadConfig({ file, home, uid, bytesMax: limits.configBytesMax });
  if (!current.ok) throw new DaemonError("CONFIG_REFUSED", current.problems.map(describeProblem).join("\n"));
  for (const warning of current.warnings) logger.warn(describeProblem(warning));
  let { settings } = current;
  const warnOfDescriptors = (): void => {
    const warning = descriptorWarning(settings.maxSessions, openFilesMax());
    if (warning !== undefined) logger.warn(warning);
  };
  warnOfDescriptors();
  let catalogue = buildCatalogue(builtIn, settings.agents);
  let loaded = current.text !== undefined;
  let error: string | undefined;
  const watch = watchConfig({
    file,
    home,
    uid,
    bytesMax: limits.configBytesMax,
    settleMs: limits.configSettleMs,
    current,
    onSettings(changed, warnings) {
      settings = changed;
      catalogue = buildCatalogue(builtIn, settings.agents);
      loaded = true;
      error = undefined;
      for (const warning of warnings) logger.warn(describeProblem(warning));
      warnOfDescriptors();
      logger.info("the configuration was reloaded");
    },
    onRefused(problems) {
      error = problems.map(describeProblem).join("\n");
      logger.error(`the changed configuration is invalid; the previous settings stay in force\n${error}`);
    },
  });
  return {
    settings: () => settings,
    catalogue: () => catalogue,
    status: () => ({ file, loaded, ...(error === undefined ? {} : { error }) }),
    close: () => watch.close(),
  };
}

/** An agent's stdin, stdout and stderr. Each terminal takes two more, which are not counted. */
const descriptorsPerSession = 3;
/** For the log, the Bus, the watch of the configuration and the broker's connections. */
const reservedDescriptors = 64;

/** The soft RLIMIT_NOFILE of this process; undefined if unlimited or unknown. */
export function openFilesMax(file = "/proc/self/limits"): number | undefined {
  const limits = attempt(() => readFileSync(file, "latin1")) ?? "";
  const found = /^Max open files\s+(\d+)\s/mu.exec(limits)?.[1];
  return found === undefined ? undefined : Number(found);
}

export function descriptorWarning(maxSessions: number, filesMax: number | undefined): string | undefined {
  if (filesMax === undefined) return undefined;
  const possible = Math.max(0, Math.floor((filesMax - reservedDescriptors) / descriptorsPerSession));
  if (maxSessions <= possible) return undefined;
  return `max_sessions is ${maxSessions}, but the system allows agentd ${filesMax} open files, which suffice for ${possible} sessions without terminals: starts beyond that will fail; raise LimitNOFILE of its unit, or \`ulimit -n\``;
}
