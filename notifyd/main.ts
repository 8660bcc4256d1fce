// SPDX-License-Identifier: MIT OR Apache-2.0
// The program: runs notifyd in the foreground until a signal stops it, with its log on stderr.
import { parseArgs } from "node:util";
import { pino, stdTimeFunctions } from "pino";
import { processWords } from "../display/process-output.ts";
import { ownBuild } from "../files/installed-build.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { NotifySend } from "./desktop/notify-send.ts";
import { NotifydError } from "./notifyd-error.ts";
import { Notifyd } from "./notifyd.ts";
import { statePaths } from "./state-directory.ts";

const help = `notifyd: asks people on behalf of agents and other programs

  notifyd

Serves \`notify\` on the Bus, in the foreground, with its log on stderr. Shows questions as desktop notifications (needs
notify-send and a notification service). \`mix notify ls\` lists questions, \`mix notify answer\` answers them.
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
  await run();
}

async function run(): Promise<void> {
  process.umask(0o077);
  const environment = { ...process.env };
  const home = homeDirectory(environment);
  const paths = statePaths(environment, home);
  process.chdir("/");
  const notifyd = new Notifyd({
    paths,
    surroundings: { env: environment, uid: process.getuid?.() ?? -1, home },
    ...ownBuild(import.meta.url),
    logger: pino({ base: null, timestamp: stdTimeFunctions.isoTime }, { write: (line) => void words.log(line) }),
  });
  notifyd.addPresenter((host) => new NotifySend(environment, host));
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
