#!/usr/bin/env node
// SPDX-License-Identifier: MIT OR Apache-2.0
// The daemon's program. It runs in the foreground; whoever wants it in the background starts it so.
import { homedir } from "node:os";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { processWords } from "../display/process-output.ts";
import { compileLessEagerly } from "./compiling.ts";
import { defaultLimits } from "./config/limits.ts";
import { DaemonError } from "./daemon-error.ts";
import { startDaemon } from "./daemon.ts";
import { shedInheritance } from "./instance/hygiene.ts";
import { instancePaths, prepareStateDirectory } from "./instance/paths.ts";
import { openProcessLog } from "./instance/process-log.ts";
import { redactor, secretValues } from "./catalogue/secret-values.ts";
import { installedBuild, ownBuild } from "../bus-client/index.ts";

const help = `agentd: coding agents as sessions on the MixOS Bus

  agentd [--log-level trace|debug|info|warn|error] [--background]

Runs in the foreground and speaks on stderr; with --background it speaks into agentd.log in its state directory,
which is turned over before it grows too large. \`mix agent start\` starts it in the background by itself.
  --version   prints the version
  --help      prints this
`;

const words = processWords("stderr");
const levels = ["trace", "debug", "info", "warn", "error"];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      version: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      "log-level": { type: "string", default: "info" },
      background: { type: "boolean", default: false },
    },
  });
  const level = values["log-level"];
  if (!levels.includes(level)) throw new DaemonError("USAGE", `--log-level is one of ${levels.join(", ")}`);
  if (values.version) return print(`agentd ${ownBuild(import.meta.url).version}\n`);
  if (values.help) return print(help);
  const umask = shedInheritance(process);
  compileLessEagerly(process.versions.v8, setFlagsFromString);
  const environment = { ...process.env };
  const home = homedir();
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
    destination: values.background
      ? { file: found.paths.processLogFile, bytesMax: defaultLimits.processLogBytesMax }
      : { stream: { write: (line) => words.json(line) } },
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
  return 0;
}

function print(text: string): number {
  void processWords("stdout").text(text);
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const known =
      error instanceof DaemonError ||
      (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
    const message = known ? (error as Error).message : String(error instanceof Error ? error.stack : error);
    void words.text(`agentd: ${message}\n`);
    process.exitCode = error instanceof DaemonError ? error.exitCode : known ? 2 : 1;
  },
);
