// SPDX-License-Identifier: MIT OR Apache-2.0
// The instance's paths: one file that people write, and one directory that agentd writes.
import { isAbsolute, join, normalize } from "node:path";
import { preparePrivateDirectory } from "../../files/make-directories.ts";
import { valuesDirectory } from "../../files/stored-values.ts";
import { stateDirectoryOf, xdgDirectory } from "../../files/state-directory.ts";

export interface InstancePaths {
  /** The configuration file (TOML), which need not exist. */
  readonly configFile: string;
  readonly stateDirectory: string;
  readonly logFile: string;
  /** agentd's own diagnostics. */
  readonly processLogFile: string;
  /** One file per value of an environment variable: those that a start may pass on, and those of single agents. */
  readonly environmentDirectory: string;
  /** Locked while agentd runs. */
  readonly lockFile: string;
  /** The holder of the lock, for people and `mix agent stop`. */
  readonly pidFile: string;
  /** Directories created for `start demo` without a cwd. */
  readonly workspacesDirectory: string;
  /** The demo agent's own files, one for each of its sessions. */
  readonly demoSessionsDirectory: string;
  /** A directory for each running agent's temporary files (TMPDIR); emptied when agentd starts. */
  readonly temporaryDirectory: string;
  /** The agents that agentd has installed for the user. */
  readonly agentsDirectory: string;
}

export type FoundPaths =
  | { readonly ok: true; readonly paths: InstancePaths }
  | { readonly ok: false; readonly reason: string };

export type PreparedState =
  | { readonly ok: true }
  | { readonly ok: false; readonly path: string; readonly reason: string };

/**
 * The file is `AGENTD_CONFIG`, else `$XDG_CONFIG_HOME/agentd/agentd.toml` (`~/.config`); the directory is that of
 * `stateDirectoryOf`. Refuses a relative AGENTD_ variable, since agentd changes its working directory.
 */
export function instancePaths(environment: Readonly<Record<string, string | undefined>>, home: string): FoundPaths {
  const { AGENTD_CONFIG: config, AGENTD_STATE_DIR: state } = environment;
  if (config && !isAbsolute(config)) return { ok: false, reason: "AGENTD_CONFIG must be an absolute path" };
  if (state && !isAbsolute(state)) return { ok: false, reason: "AGENTD_STATE_DIR must be an absolute path" };
  const directory = stateDirectoryOf("agentd", environment, home);
  if (directory === undefined || (!(config && state) && !isAbsolute(home))) {
    return { ok: false, reason: "there is no home directory: set HOME, or AGENTD_CONFIG and AGENTD_STATE_DIR" };
  }
  const dataDirectory = xdgDirectory(
    environment["XDG_DATA_HOME"],
    isAbsolute(home) ? join(home, ".local", "share") : "",
  );
  const configDirectory = xdgDirectory(environment["XDG_CONFIG_HOME"], join(home, ".config"));
  return {
    ok: true,
    paths: {
      configFile: normalize(config || join(configDirectory, "agentd", "agentd.toml")),
      stateDirectory: directory,
      logFile: join(directory, "log.db"),
      processLogFile: join(directory, "agentd.log"),
      environmentDirectory: valuesDirectory(directory),
      lockFile: join(directory, "agentd.lock"),
      pidFile: join(directory, "agentd.pid"),
      workspacesDirectory: join(directory, "workspaces"),
      demoSessionsDirectory: join(directory, "demo-sessions"),
      temporaryDirectory: join(directory, "tmp"),
      agentsDirectory: dataDirectory === "" ? join(directory, "agents") : join(dataDirectory, "agentd", "agents"),
    },
  };
}

/**
 * Creates what is missing of the state directory, mode 0700. Refuses one that is not a directory, belongs to another
 * user, or can be written or replaced by others, who could replace the log or plant secrets. Makes one that others can
 * only read private.
 */
export function prepareStateDirectory(paths: InstancePaths, uid: number): PreparedState {
  for (const path of [paths.stateDirectory, paths.environmentDirectory, paths.workspacesDirectory]) {
    const reason = preparePrivateDirectory(path, uid, "agentd");
    if (reason !== undefined) return { ok: false, path, reason };
  }
  return { ok: true };
}
