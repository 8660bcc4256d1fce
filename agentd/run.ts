// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the daemon in this process until it has stopped.
import type { TextOutput } from "../display/text-output.ts";
import { installedBuild, ownBuild } from "../files/installed-build.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { redactor, secretValues } from "./catalogue/secret-values.ts";
import { defaultLimits } from "./config/limits.ts";
import { DaemonError } from "./daemon-error.ts";
import { startDaemon } from "./daemon.ts";
import { resetInheritedState } from "./instance/inherited-state.ts";
import { loginSearchPath } from "./instance/login-path.ts";
import { instancePaths, prepareStateDirectory } from "./instance/paths.ts";
import { openProcessLog } from "./instance/process-log.ts";

export interface RunOptions {
  readonly level: string;
  /** Write the process log to a file instead of `stderr`. */
  readonly background: boolean;
  readonly stderr: Pick<TextOutput, "log">;
}

/** Throws DaemonError for expected failures. */
export async function run({ level, background, stderr }: RunOptions): Promise<void> {
  const umask = resetInheritedState(process);
  const environment = { ...process.env, PATH: await loginSearchPath(process.env) };
  const home = homeDirectory(environment);
  const found = instancePaths(environment, home);
  if (!found.ok) throw new DaemonError("PATHS_REFUSED", found.reason);
  const uid = process.getuid?.() ?? -1;
  const prepared = prepareStateDirectory(found.paths, uid);
  if (!prepared.ok) throw new DaemonError("STATE_REFUSED", `${prepared.path}: ${prepared.reason}`);
  const known = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const { logger } = openProcessLog({
    destination: background
      ? { file: found.paths.processLogFile, bytesMax: defaultLimits.processLogBytesMax }
      : { stream: { write: (line) => stderr.log(line) } },
    redact: redactor(secretValues(known, {})),
    level,
  });
  const daemon = await startDaemon({
    paths: found.paths,
    environment,
    home,
    uid,
    ...ownBuild(import.meta.url),
    installed: () => installedBuild(import.meta.url),
    logger,
    umask,
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void daemon.stop(signal));
  await daemon.stopped;
}
