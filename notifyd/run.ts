// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs notifyd in the foreground until a signal stops it, with its log on stderr.
import { homedir } from "node:os";
import { pino, stdTimeFunctions } from "pino";
import type { TextOutput } from "../display/text-output.ts";
import { ownBuild } from "../files/installed-build.ts";
import { NotifySend } from "./desktop/notify-send.ts";
import { Notifyd } from "./notifyd.ts";
import { statePaths } from "./state-directory.ts";

export async function run(words: Pick<TextOutput, "log">): Promise<void> {
  process.umask(0o077);
  const environment = { ...process.env };
  const home = homedir();
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
