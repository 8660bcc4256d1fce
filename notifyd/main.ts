#!/usr/bin/env node
// SPDX-License-Identifier: MIT OR Apache-2.0
// The program. It runs in the foreground and speaks on stderr.
import { homedir } from "node:os";
import { parseArgs } from "node:util";
import { pino, stdTimeFunctions } from "pino";
import { loadTransports, ownBuild } from "../bus-client/index.ts";
import { processWords } from "../display/process-output.ts";
import { NotifydError } from "./notifyd-error.ts";
import { startNotifyd } from "./notifyd.ts";
import { statePaths } from "./state-directory.ts";

const help = `notifyd: asks people what agents and other programs want to know

  notifyd

The service \`notify\` on the Bus. Runs in the foreground and speaks on stderr. Questions are shown on the desktop where
there is one (notify-send and a notification service), and by \`mix notify ls\`; \`mix notify answer\` answers them.
  --version   prints the version
  --help      prints this
`;

const words = processWords("stderr");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { version: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.version || values.help) {
    void processWords("stdout").text(values.version ? `notifyd ${ownBuild(import.meta.url).version}\n` : help);
    return;
  }
  process.umask(0o077);
  const environment = { ...process.env };
  const home = homedir();
  const paths = statePaths(environment, home);
  process.chdir("/");
  await loadTransports();
  const notifyd = startNotifyd({
    paths,
    environment,
    surroundings: { env: environment, uid: process.getuid?.() ?? -1, home },
    ...ownBuild(import.meta.url),
    logger: pino(
      { base: null, timestamp: stdTimeFunctions.isoTime },
      {
        write: (line: string) => void words.json(line),
      },
    ),
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void notifyd.stop(signal));
  await notifyd.stopped;
}

main().catch((error: unknown) => {
  const isKnown =
    error instanceof NotifydError ||
    (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  const message = isKnown ? error.message : String(error instanceof Error ? error.stack : error);
  void words.text(`notifyd: ${message}\n`);
  process.exitCode = error instanceof NotifydError ? error.exitCode : isKnown ? 2 : 1;
});
